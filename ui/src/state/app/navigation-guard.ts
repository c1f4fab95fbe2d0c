// Prevents dropped files, clicked links and submitted forms from navigating away from the page.
import { inWindow } from '../../rpc/desktop';

/** Listens from the start of the page. The handlers for files are set later. */
export const navigationGuard = {
  /** Called while files are dragged over the page, only in a browser. The window reports drags itself. */
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
    // Nothing in the page may navigate to another address.
    const away = (event: MouseEvent) => {
      const link = (event.target as Element | null)?.closest?.('a[href], area[href]');
      if (link && !(link as HTMLAnchorElement).download) event.preventDefault();
    };
    addEventListener('click', away, { capture: true });
    addEventListener('auxclick', away, { capture: true });
    addEventListener('submit', (event) => event.preventDefault(), { capture: true });
  },
};
