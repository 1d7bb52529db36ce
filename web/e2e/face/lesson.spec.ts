/** A lesson with a film: by its own link, from where one was, noted on the way, done at its end; and what cannot be played. */

import { expectAccessible, fits, picture } from '../kit';
import { ANSWERS, id, lesson, VIDEO } from './contentFixtures';
import { film, played } from './film';
import { AT_WORK } from './fixtures';
import { CUSTOMER, refuse, stub } from './stub';
import { expect, type Page, type Route, test } from './window';

const PHONE = { width: 390, height: 844 };
const LESSON = `GET /content/${id(2)}`;
const LINK = `GET /content/${id(2)}/link`;
const MEDIA = 'GET /content/media/k3y';
const OPEN = `/marketing/academy?item=${id(2)}`;

const FILM = { ...VIDEO, name: 'aula.webm', mime: 'video/webm' };
const MADE = { path: '/content/media/k3y', expires_at: '2026-11-20T18:00:00Z' };
const at = (seconds: number, done = false) => lesson(2, { file: FILM, progress: { seconds, done } });

const player = (page: Page) => page.getByRole('dialog').locator('video');
const place = (page: Page) => player(page).evaluate((video) => (video as HTMLVideoElement).currentTime);
/** Another place of the film; it is shown once the player says so. */
const goTo = (page: Page, seconds: number) =>
  player(page).evaluate(
    (element, seconds) =>
      new Promise<void>((there) => {
        const video = element as HTMLVideoElement;
        video.addEventListener('seeked', () => there(), { once: true });
        video.currentTime = seconds;
      }),
    seconds,
  );

test('a film goes on where one was, is noted each fifteen seconds and when it stands, and is done at its end', async ({
  page,
}) => {
  const notes: { seconds: number; done?: boolean }[] = [];
  const state = await stub(page, CUSTOMER, {
    ...AT_WORK,
    ...ANSWERS,
    [LESSON]: at(20),
    [LINK]: MADE,
    [MEDIA]: played(film(60)),
    [`POST /content/${id(2)}/progress`]: (route: Route) => {
      const note = route.request().postDataJSON();
      notes.push(note);
      if (note.done) state.answers[LESSON] = at(note.seconds, true);
      return route.fulfill({ json: { seconds: note.seconds, done: note.done ?? false } });
    },
  });
  await page.goto(OPEN);
  await expect(player(page)).toHaveAttribute('src', /\/api\/content\/media\/k3y$/);
  await expect.poll(() => place(page)).toBe(20);
  await expectAccessible(page);
  await picture(page, 'content-film');

  // Less than a step is not worth a call.
  await goTo(page, 30);
  await goTo(page, 36);
  await expect.poll(() => notes).toEqual([{ seconds: 36 }]);
  // Who stops is found there again.
  await goTo(page, 40);
  await player(page).evaluate(async (element) => {
    const video = element as HTMLVideoElement;
    video.muted = true;
    await video.play();
    video.pause();
  });
  await expect.poll(() => notes.length).toBe(2);
  expect(notes[1]?.seconds).toBeGreaterThanOrEqual(40);
  expect(notes[1]?.seconds).toBeLessThan(51);
  expect(notes[1]?.done).toBeUndefined();

  await player(page).evaluate((element) => {
    const video = element as HTMLVideoElement;
    video.playbackRate = 8;
    return video.play();
  });
  const drawer = page.getByRole('dialog');
  await expect(drawer.getByRole('button', { name: 'Fazer de novo' })).toBeVisible();
  expect(notes.at(-1)).toEqual({ seconds: 60, done: true });
  // On the way no note was nearer to the one before it than a step.
  const onTheWay = notes.slice(1, -1).map(({ seconds }) => seconds);
  for (const [n, seconds] of onTheWay.entries())
    if (n > 0) expect(seconds - (onTheWay[n - 1] ?? 0)).toBeGreaterThanOrEqual(15);
  await page.setViewportSize(PHONE);
  await fits(page);
});

test('a film without a link, and one that is none, say so and are asked for again', async ({ page }) => {
  const state = await stub(page, CUSTOMER, {
    ...AT_WORK,
    ...ANSWERS,
    [LESSON]: at(0),
    [LINK]: refuse(404, 'request.not_found', 'Não encontrado.'),
    [MEDIA]: (route: Route) => route.fulfill({ contentType: 'video/webm', body: 'no film at all' }),
  });
  await page.goto(OPEN);
  const drawer = page.getByRole('dialog');
  const failed = drawer.getByRole('alert').filter({ hasText: 'o vídeo' });
  const again = failed.getByRole('button', { name: 'Tentar de novo' });
  await expect(failed).toContainText('Não encontrado.');
  await expect(player(page)).toHaveCount(0);
  // Now there is a link, and nothing behind it that plays.
  await state.fromClick(LINK, MADE);
  await again.click();
  await expect(failed.filter({ hasText: 'Não encontrado.' })).toHaveCount(0);
  await expect(again).toBeVisible();
  await expectAccessible(page, ['dark']);
  await state.fromClick(MEDIA, played(film(30)));
  await again.click();
  await expect(player(page)).toBeVisible();
  await expect.poll(() => player(page).evaluate((video) => (video as HTMLVideoElement).duration)).toBe(30);
});
