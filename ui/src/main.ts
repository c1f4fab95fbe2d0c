// Starts the interface: sets the theme, connects to the core, and mounts the page. Waits a moment for the core's answer, so that the
// first paint shows the change.
import { mount } from 'svelte';
import App from './App.svelte';
import { inWindow, TauriTransport } from './rpc/tauri';
import { socketUrl, WebSocketTransport } from './rpc/websocket';
import { connection } from './state/app/connection.svelte';
import { navigationGuard } from './state/app/navigation-guard';
import { repos } from './state/app/repos.svelte';
import { deferredViews } from './views/app/deferred-views.svelte';
import './styles/tokens.css';
import './styles/base.css';
import './styles/facts.css';
import './styles/prose.css';
import './styles/diff.css';
import './styles/syntax.css';

/** The maximum wait for the first answer, in milliseconds. After it, the page shows that it is waiting. */
const START_TIMEOUT_MS = 400;

performance.mark('script');
const savedTheme = localStorage.getItem('theme');
const dark =
  savedTheme === 'dark' || (savedTheme !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
document.documentElement.dataset.theme = dark ? 'dark' : 'light';

connection.start(inWindow() ? new TauriTransport() : new WebSocketTransport(socketUrl(location)));
navigationGuard.start();
// The inbox is a deferred view. It loads while the core lists the rows.
const { beginElsewhere } = repos;
repos.beginElsewhere = () => {
  deferredViews.loadNow();
  return beginElsewhere();
};
const started = repos.start();
// Text that is laid out before its font is loaded is laid out twice.
const fonts = ['Inter Variable', 'JetBrains Mono Variable'].map((name) =>
  document.fonts.load(`1rem '${name}'`),
);
const timeout = new Promise((resolve) => setTimeout(resolve, START_TIMEOUT_MS));

// A top-level await would move the code that deferred views share into a separate file.
void Promise.race([Promise.allSettled([started, ...fonts]), timeout]).then(() => {
  const target = document.getElementById('app');
  if (target) mount(App, { target });
  performance.mark('mounted');
});
