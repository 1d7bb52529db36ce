/** What a first visit to the login costs, by the build's own manifest: hashed names need no pattern that goes stale. */
const manifest = require('./dist/.vite/manifest.json');

function withImports(key, files = new Set()) {
  const { file, imports = [] } = manifest[key];
  if (files.has(file)) return files;
  if (file.endsWith('.js')) files.add(file);
  for (const next of imports) withImports(next, files);
  return files;
}
const paths = (...keys) => [...new Set(keys.flatMap((key) => [...withImports(key)]))].map((file) => `dist/${file}`);

module.exports = [
  { name: 'entry', path: paths('index.html'), limit: '140 kB', gzip: true },
  {
    name: 'login with its texts',
    path: paths(
      'index.html',
      'src/rooms/identity/LoginPage.tsx',
      'src/i18n/pt/common.json',
      'src/i18n/pt/login.json',
    ),
    limit: '168 kB',
    gzip: true,
  },
];
