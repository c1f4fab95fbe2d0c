// Prevents dropped files, clicked links and submitted forms from navigating away from the page.
import { inWindow } from '../../rpc/desktop';

/** Heard from the page's first moment on; what is to be done about files is said later. */
export const navigationGuard = {
  /** Told whether files are dragged over a page in a browser; the window's shell tells of its own. */
  onDragged: (_over: boolean): void => {},
  onFile: (_file: File): void => {},

  start(): void {
    const shell = inWindow();
    const files = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false;
    addEventListener('dragover', (event) => {
      if (event.defaultPrevented) return;
      event.preventDefault();
      if (event.dataTransfer) event.dataTransfer.dropEffect = files(event) ? 'copy' : 'none';
      this.onDragged(files(event) && !shell);
    });
    addEventListener('dragleave', (event) => {
      if (!event.relatedTarget) this.onDragged(false);
    });
    addEventListener('drop', (event) => {
      this.onDragged(false);
      if (event.defaultPrevented) return;
      event.preventDefault();
      const file = event.dataTransfer?.files[0];
      if (file && !shell) this.onFile(file);
    });
    // An address in the page that is not our own page is none of its doing.
    const away = (event: MouseEvent) => {
      const link = (event.target as Element | null)?.closest?.('a[href], area[href]');
      if (link && !(link as HTMLAnchorElement).download) event.preventDefault();
    };
    addEventListener('click', away, { capture: true });
    addEventListener('auxclick', away, { capture: true });
    addEventListener('submit', (event) => event.preventDefault(), { capture: true });
  },
};
