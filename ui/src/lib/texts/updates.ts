// Updates of the window.
import { moment } from '../text/format';

export const updateTexts = {
  available: (version: string) => `Version ${version} is available`,
  running: (version: string) => `Version ${version} is running.`,
  about:
    'Versions come from the address that you set, signed by a maintainer of diffsan. Without an address, nothing is requested. With one, the window checks when it starts, at most once a day.',
  address: 'Address of update.json',
  checked: (time: string) => `Last check: ${moment(time)}`,
  neverChecked: 'Not checked yet',
  upToDate: 'This is the newest version.',
  released: (time: string, size: string) => `Released ${moment(time)}, ${size}`,
  check: 'Check now',
  checking: 'Checking…',
  download: 'Download',
  downloaded: (done: string, total: string) => `Downloaded ${done} of ${total}`,
  verified: 'Downloaded and verified. The old version stays until the new one has started.',
  restart: 'Restart with the new version',
  restarting: 'Restarting…',
  unsaved: 'Your drafts could not be saved, so the window does not restart',
  posting: 'Wait until the comments are posted',
  failed: 'The window could not be updated',
  dismiss: 'Do not show again',
};
