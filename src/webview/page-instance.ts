import { Page, type EditorApi } from './page.ts';

declare function acquireVsCodeApi(): EditorApi;

/** The document's only page, because `acquireVsCodeApi` can be called only once. */
export const page = new Page(acquireVsCodeApi());
