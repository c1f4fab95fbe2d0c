// What every page does: takes the patch, and marks when it and the modules are there, and when the first changed row is in view.

/** The one element of the page, which scrolls. */
export const root = document.getElementById('root');
window.scroller = root;

/** Draws with `draw(patch)`; `selector` names a changed row, in the page or in a shadow root right in it. */
export async function show(selector, draw) {
  const patch = await (await fetch('/patch')).text();
  if (document.readyState !== 'complete') await new Promise((resolve) => addEventListener('load', resolve));
  // A driver waits for the end of the load event.
  await new Promise((resolve) => setTimeout(resolve));
  const look = () => {
    const row = [document, ...[...root.querySelectorAll('*')].flatMap((one) => one.shadowRoot ?? [])]
      .map((one) => one.querySelector(selector))
      .find((one) => one !== null);
    const place = row?.getBoundingClientRect();
    if (!place || place.height === 0 || place.bottom < 0 || place.top > innerHeight) return requestAnimationFrame(look);
    performance.mark('first-diff');
    document.documentElement.dataset.diff = 'painted';
  };
  performance.mark('change-there');
  requestAnimationFrame(look);
  draw(patch);
}

/** The files of a patch, with both sides of what it shows of them, for renderers that compare texts. */
export function filesOf(patch) {
  return patch.split(/^(?=diff --git )/m).map((text) => {
    const rows = text.slice(text.indexOf('\n@@') + 1).split('\n');
    const side = (mark) => rows.filter((row) => row[0] === ' ' || row[0] === mark).map((row) => `${row.slice(1)}\n`);
    return { name: text.match(/^\+\+\+ b\/(.*)$/m)[1], text, before: side('-').join(''), after: side('+').join('') };
  });
}
