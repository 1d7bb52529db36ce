// Runs before the first paint, as a file of its own because the content security policy allows no inline script.
try {
  document.documentElement.setAttribute(
    'data-mantine-color-scheme',
    localStorage.getItem('mantine-color-scheme-value') === 'light' ? 'light' : 'dark',
  );
  var language = localStorage.getItem('locale');
  document.documentElement.lang = language === 'en' || language === 'es' ? language : 'pt-BR';
} catch (_) {}
