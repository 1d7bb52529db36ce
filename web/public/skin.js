// Runs before the first paint, as a file of its own because the content security policy allows no inline script.
// The browser offers to install the program once, often before the program is there to hear it.
addEventListener('beforeinstallprompt', function (event) {
  event.preventDefault();
  window.installOffer = event;
  dispatchEvent(new Event('installoffer'));
});
try {
  var light = localStorage.getItem('mantine-color-scheme-value') === 'light';
  document.documentElement.setAttribute('data-mantine-color-scheme', light ? 'light' : 'dark');
  if (light) document.querySelector('meta[name="theme-color"]').content = '#f4f6f9';
  var language = localStorage.getItem('locale');
  document.documentElement.lang = language === 'en' || language === 'es' ? language : 'pt-BR';
  if (language === 'en' || language === 'es')
    document.querySelector('link[rel="manifest"]').href = '/manifest.' + language + '.webmanifest';
  // Whoever is not signed in comes to the sign-in: its outline is shown and its pieces are asked for now,
  // not when the program has found that out.
  if (!/(?:^|;\s*)signed_in=1(?:;|$)/.test(document.cookie) && /^\/(?:login(?:\/.*)?)?$/.test(location.pathname)) {
    var pieces = JSON.parse(document.querySelector('meta[name="login-pieces"]').content);
    var wanted = location.pathname.split('/')[2] || language;
    document.documentElement.lang = wanted === 'en' || wanted === 'es' ? wanted : 'pt-BR';
    document.documentElement.setAttribute('data-sign-in', '');
    pieces.code.concat(pieces[wanted] || pieces.pt).forEach(function (file) {
      var link = document.createElement('link');
      link.rel = 'modulepreload';
      link.fetchPriority = 'low';
      link.crossOrigin = '';
      link.href = '/' + file;
      document.head.appendChild(link);
    });
  }
} catch (_) {}
