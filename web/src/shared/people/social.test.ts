import { expect, test } from 'vitest';
import { socialLink } from './social';

test.each([
  ['instagram', '@marina.duarte', 'https://www.instagram.com/marina.duarte'],
  ['telegram', 'marina_d', 'https://t.me/marina_d'],
  ['whatsapp', '+55 (11) 98888-7777', 'https://wa.me/5511988887777'],
  ['youtube', '@marina', 'https://www.youtube.com/@marina'],
  ['linkedin', 'https://br.linkedin.com/in/marina', 'https://br.linkedin.com/in/marina'],
  ['facebook', 'https://facebook.com/profile.php?id=100', 'https://facebook.com/profile.php?id=100'],
  ['x', ' HTTPS://X.COM/marina ', 'https://x.com/marina'],
] as const)('%s: %s leads to %s', (network, typed, link) => {
  expect(socialLink(network, typed)).toBe(link);
});

test.each([
  ['instagram', ''],
  ['instagram', 'javascript:alert(1)'],
  ['instagram', 'http://instagram.com/marina'],
  ['instagram', 'https://instagram.com.evil.example/marina'],
  ['instagram', 'https://evilinstagram.com/marina'],
  ['instagram', 'https://instagram.com@evil.example/marina'],
  ['instagram', 'https://marina@instagram.com/marina'],
  ['instagram', 'https://l.instagram.com/?u=https://evil.example'],
  ['youtube', 'https://youtube.com/redirect?q=evil.example'],
  ['x', 'https://x.com/'],
  ['x', 'https://t.me/marina'],
  ['telegram', '../evil'],
  ['whatsapp', 'marina'],
  ['facebook', `https://facebook.com/${'a'.repeat(100)}`],
] as const)('%s: what is none of its own (%s) is no link', (network, typed) => {
  expect(socialLink(network, typed)).toBeNull();
});
