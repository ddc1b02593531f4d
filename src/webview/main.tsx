import { render } from 'preact';
import { linkFiles, setFormulas } from './drawn.ts';
import { keepFocus } from './focus-keeper.ts';
import type { EditorApi } from './host-link.ts';
import { activateLinks } from './clicks.ts';
import { Page } from './page.ts';
import { App } from './parts/app.tsx';
import { readTranslations } from './texts.ts';

declare function acquireVsCodeApi(): EditorApi;

const root = document.getElementById('root');
readTranslations(document.getElementById('translations')?.textContent ?? '{}');
if (!root) throw new Error('the page lacks its root element');
const page = new Page(acquireVsCodeApi());
activateLinks(root, page);
linkFiles(root, (paths) => page.ask('existingFiles', { paths }));
setFormulas(root, (formulas) => page.ask('renderMath', { formulas }));
keepFocus(root, () => page.signal({ type: 'focus', target: 'composer' }));
render(<App page={page} />, root);
page.start();
