import { useEffect, useRef, useState } from 'preact/hooks';
import { usePage } from '../page-context.ts';
import type { Page } from '../page.ts';
import { text } from '../texts.ts';
import { Icon, IconButton } from './icon-button.tsx';

type Place = 'selection' | 'currentFile' | 'problems' | 'terminal';

const PLACES: readonly { readonly kind: Place; readonly label: () => string; readonly icon: string }[] = [
  { kind: 'selection', label: () => text('Selection'), icon: 'list-selection' },
  { kind: 'currentFile', label: () => text('Current File'), icon: 'file' },
  { kind: 'problems', label: () => text('Problems in Current File'), icon: 'warning' },
  { kind: 'terminal', label: () => text('Terminal Selection'), icon: 'terminal' },
];
const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const;

/** The button that adds something to the next message. */
export function AttachMenu({ images }: { readonly images: boolean }) {
  const page = usePage();
  const [open, setOpen] = useState(false);
  const menu = useRef<HTMLDivElement>(null);
  const files = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (open) menu.current?.querySelector<HTMLElement>('[role="menuitem"]')?.focus();
  }, [open]);
  const close = () => setOpen(false);
  const leave = (event: FocusEvent) => {
    if (!(event.relatedTarget instanceof Node) || !menu.current?.contains(event.relatedTarget)) close();
  };
  return (
    <div
      class="menu-holder"
      ref={menu}
      onFocusOut={leave}
      onKeyDown={(event) => moveInMenu(event, menu.current, close)}
    >
      <IconButton icon="attach" label={text('Add Context')} expanded={open} onClick={() => setOpen(!open)} />
      {open && (
        <div class="menu" role="menu" aria-label={text('Add Context')}>
          {PLACES.map(({ kind, label, icon }) => (
            <button
              key={kind}
              type="button"
              role="menuitem"
              onClick={() => {
                close();
                void page.ask('attach', { what: { kind } });
              }}
            >
              <Icon name={icon} /> {label()}
            </button>
          ))}
          {images && (
            <button type="button" role="menuitem" onClick={() => files.current?.click()}>
              <Icon name="file-media" /> {text('Image…')}
            </button>
          )}
        </div>
      )}
      <input
        ref={files}
        type="file"
        accept={IMAGE_TYPES.join(',')}
        class="off-screen"
        tabIndex={-1}
        aria-hidden="true"
        onChange={(event) => {
          close();
          const file = event.currentTarget.files?.[0];
          if (file) void attachImage(page, file);
          event.currentTarget.value = '';
        }}
      />
    </div>
  );
}

/** Hands an image to the host; says so of a format that no model takes. */
export async function attachImage(page: Page, file: File): Promise<void> {
  const mediaType = IMAGE_TYPES.find((each) => each === file.type);
  if (!mediaType) {
    page.tell(text('Only PNG, JPEG, GIF, and WebP images are supported.'), 'error');
    return;
  }
  const reading = new Promise<string>((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(typeof reader.result === 'string' ? reader.result : '');
    reader.onerror = () => reject(reader.error ?? new Error(file.name));
    reader.readAsDataURL(file);
  });
  const address = await page.acts.readOrTell(file.name, reading);
  if (address === undefined) return;
  const base64 = address.slice(address.indexOf(',') + 1);
  await page.ask('attach', { what: { kind: 'image', name: file.name || text('Image'), mediaType, base64 } });
}

/** Arrow keys, Home, End and Escape in a menu. */
function moveInMenu(event: KeyboardEvent, holder: HTMLElement | null, close: () => void): void {
  const items = [...(holder?.querySelectorAll<HTMLElement>('[role="menuitem"]') ?? [])];
  if (items.length === 0) return;
  const at = items.findIndex((item) => item === document.activeElement);
  const next: Readonly<Record<string, number>> = {
    ArrowDown: (at + 1) % items.length,
    ArrowUp: at <= 0 ? items.length - 1 : at - 1,
    Home: 0,
    End: items.length - 1,
  };
  if (event.key === 'Escape') {
    close();
    holder?.querySelector('button')?.focus();
  } else if (event.key in next) {
    items[next[event.key]!]?.focus();
  } else {
    return;
  }
  event.preventDefault();
  event.stopPropagation();
}

/** Attaches what is dropped: files of the editor and of the desktop; false for anything else, such as text. */
export function attachDropped(page: Page, dropped: DataTransfer): boolean {
  // What the explorer and the tabs of the editor hand over, then what other programs do.
  const addresses = dropped.getData('application/vnd.code.uri-list') || dropped.getData('text/uri-list');
  const uris = addresses.split(/\r?\n/).filter((line) => /^(?:file|vscode-remote|vscode-vfs|untitled):/.test(line));
  for (const uri of uris) void page.ask('attach', { what: { kind: 'uri', uri } });
  if (uris.length > 0) return true;
  const files = [...dropped.files];
  for (const file of files) {
    void (file.type.startsWith('image/') ? attachImage(page, file) : attachText(page, file));
  }
  return files.length > 0;
}

async function attachText(page: Page, file: File): Promise<void> {
  const read = await page.acts.readOrTell(file.name, file.text());
  if (read !== undefined)
    await page.ask('attach', { what: { kind: 'paste', text: read, name: file.name.slice(0, 200) } });
}
