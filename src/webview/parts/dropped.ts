import type { Page } from '../page.ts';
import { attachImage } from './attach-menu.tsx';

/** Attaches what is dropped: files of the editor and of the desktop; false for anything else, such as text. */
export function attachDropped(page: Page, dropped: DataTransfer): boolean {
  // What the explorer and the tabs of the editor hand over, then what other programs do.
  const addresses = dropped.getData('application/vnd.code.uri-list') || dropped.getData('text/uri-list');
  const uris = addresses.split(/\r?\n/).filter((line) => /^(?:file|vscode-remote|vscode-vfs|untitled):/.test(line));
  for (const uri of uris) void page.ask('attach', { what: { kind: 'uri', uri } });
  if (uris.length > 0) return true;
  const files = [...dropped.files];
  for (const file of files) {
    if (file.type.startsWith('image/')) void attachImage(page, file);
    else
      void file
        .text()
        .then((text) => page.ask('attach', { what: { kind: 'paste', text, name: file.name.slice(0, 200) } }));
  }
  return files.length > 0;
}
