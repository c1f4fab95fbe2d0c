// Views that the first look at a change does without; they are loaded right behind it.
export { default as Between } from './Between.svelte';
export { default as Conversation } from './Conversation.svelte';
export { default as Failure } from './Failure.svelte';
export { default as FilesPane } from './FilesPane.svelte';
export { default as FindingsPane } from './FindingsPane.svelte';
export { default as MovedBar } from './MovedBar.svelte';
export { default as Notices } from './Notices.svelte';
export { default as PastBar } from './PastBar.svelte';
export { default as PromptView } from './PromptView.svelte';
export { default as RunPanel } from './RunPanel.svelte';
export { default as Sheets } from './Sheets.svelte';
export { default as StatusBar } from './StatusBar.svelte';
export { default as SummaryView } from './SummaryView.svelte';
export { default as TopBar } from './TopBar.svelte';
export { default as TrustStrip } from './TrustStrip.svelte';
export { default as Welcome } from './Welcome.svelte';
