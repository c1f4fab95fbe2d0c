// Starts the desk: the right canvas, the way to the core, then the page.
import { mount } from 'svelte';
import App from './App.svelte';
import { inWindow, TauriTransport } from './rpc/tauri';
import { socketUrl, WebSocketTransport } from './rpc/websocket';
import { connection } from './state/connection.svelte';
import { surroundings } from './state/surroundings.svelte';
import { repos } from './state/repos.svelte';
import './styles/tokens.css';
import './styles/base.css';
import './styles/facts.css';
import './styles/prose.css';
import './styles/syntax.css';

const kept = localStorage.getItem('theme');
const dark = kept === 'dark' || (kept !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
document.documentElement.dataset.theme = dark ? 'dark' : 'light';

connection.start(inWindow() ? new TauriTransport() : new WebSocketTransport(socketUrl(location)));
surroundings.guard();
void repos.start();

const target = document.getElementById('app');
if (target) mount(App, { target });
