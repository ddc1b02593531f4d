import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { imageTypeSchema, MAX_FILE_BYTES, MAX_IMAGE_BYTES, type AttachmentView } from '../../protocol/views.ts';
import { baseName, formatTokens } from '../format.ts';
import { page } from '../page-instance.ts';
import { text } from '../texts.ts';
import { Icon, IconButton } from './elements.tsx';
import { CONTEXT_ICONS } from './suggestions.tsx';

export function AttachmentChip(props: { readonly attachment: AttachmentView; readonly remove?: () => void }) {
  const { name, implicit, kind, tokens, lines } = props.attachment;
  const shortName = baseName(name);
  return (
    <span
      class={implicit ? 'implicit' : 'chip'}
      title={implicit ? text('{0} (active file, sent with the message)', name) : name}
    >
      <Icon name={name.endsWith('/') ? 'folder' : CONTEXT_ICONS[kind]} />
      <span class="cut">{lines ? `${shortName}:${[...new Set(lines)].join('-')}` : shortName}</span>
      <span class="meta">{formatTokens(tokens)}</span>
      {props.remove && <IconButton icon="close" label={text('Remove {0}', shortName)} onClick={props.remove} />}
    </span>
  );
}

const CONTEXT_ITEMS = [
  { kind: 'selection', label: () => text('Selection') },
  { kind: 'currentFile', label: () => text('Current File') },
  { kind: 'problems', label: () => text('Problems in Current File') },
  { kind: 'terminal', label: () => text('Terminal Selection') },
] as const;

export function AttachMenu({ images }: { readonly images: boolean }) {
  const [open, setOpen] = useState(false);
  const menu = useRef<HTMLDivElement>(null);
  const files = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    if (open) menu.current?.querySelector<HTMLElement>('[role="menuitem"]')?.focus();
  }, [open]);
  const close = () => setOpen(false);
  return (
    <div
      class="menu-holder"
      ref={menu}
      onFocusOut={({ relatedTarget }) => {
        if (!(relatedTarget instanceof Node) || !menu.current?.contains(relatedTarget)) close();
      }}
      onKeyDown={(event) => handleMenuKey(event, close)}
    >
      <IconButton icon="attach" label={text('Add Context')} expanded={open} onClick={() => setOpen(!open)} />
      {open && (
        <div class="menu popup" role="menu" aria-label={text('Add Context')}>
          {CONTEXT_ITEMS.map(({ kind, label }) => (
            <button
              key={kind}
              type="button"
              role="menuitem"
              class="line"
              onClick={() => {
                close();
                void page.attach({ kind });
              }}
            >
              <Icon name={CONTEXT_ICONS[kind]} /> {label()}
            </button>
          ))}
          {images && (
            <button type="button" role="menuitem" class="line" onClick={() => files.current?.click()}>
              <Icon name={CONTEXT_ICONS.image} /> {text('Image…')}
            </button>
          )}
        </div>
      )}
      <input
        ref={files}
        type="file"
        accept={imageTypeSchema.options.join(',')}
        class="off-screen"
        tabIndex={-1}
        aria-hidden="true"
        onChange={({ currentTarget }) => {
          close();
          const file = currentTarget.files?.[0];
          if (file) void attachImage(file);
          currentTarget.value = '';
        }}
      />
    </div>
  );
}

function handleMenuKey(event: KeyboardEvent & { readonly currentTarget: HTMLElement }, close: () => void): void {
  const items = [...event.currentTarget.querySelectorAll<HTMLElement>('[role="menuitem"]')];
  if (items.length === 0) return;
  const at = items.findIndex((item) => item === document.activeElement);
  const targets = { ArrowDown: (at + 1) % items.length, ArrowUp: Math.max(-1, at - 1), Home: 0, End: -1 };
  const next = new Map(Object.entries(targets)).get(event.key);
  if (event.key !== 'Escape' && next === undefined) return;
  event.preventDefault();
  event.stopPropagation();
  if (next !== undefined) {
    items.at(next)?.focus();
    return;
  }
  close();
  event.currentTarget.querySelector('button')?.focus();
}

/** Attaches an image, or reports that its format isn't supported or that it's too large. */
export async function attachImage(file: File): Promise<void> {
  const session = page.session?.id;
  const mediaType = imageTypeSchema.options.find((each) => each === file.type);
  if (!mediaType) {
    page.toasts.show(text('Only PNG, JPEG, GIF, and WebP images are supported.'), 'error');
    return;
  }
  if (file.size > MAX_IMAGE_BYTES) {
    page.toasts.show(text('The image is larger than 3.7 MB.'), 'error');
    return;
  }
  const reading = new Promise<string>((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result as string);
    reader.onerror = () => reject(reader.error ?? new Error(file.name));
    reader.readAsDataURL(file);
  });
  const dataUrl = await page.readOrReport(file.name, reading);
  if (dataUrl === undefined) return;
  const base64 = dataUrl.slice(dataUrl.indexOf(',') + 1);
  await page.attach({ kind: 'image', name: file.name || text('Image'), mediaType, base64 }, session);
}

/** Attaches dropped files; returns false if there are none. */
export function attachDropped(data: DataTransfer): boolean {
  // The first type is that of VS Code's Explorer and editor tabs, the second that of other programs.
  const uriList = data.getData('application/vnd.code.uri-list') || data.getData('text/uri-list');
  const uris = uriList.split(/\r?\n/).filter((line) => /^(?:file|vscode-remote|vscode-vfs|untitled):/.test(line));
  for (const uri of uris) void page.attach({ kind: 'uri', uri });
  if (uris.length > 0) return true;
  for (const file of data.files) void (file.type.startsWith('image/') ? attachImage(file) : attachText(file));
  return data.files.length > 0;
}

async function attachText(file: File): Promise<void> {
  const session = page.session?.id;
  if (file.size > MAX_FILE_BYTES) {
    page.toasts.show(text('{0} is larger than 1 MB. Add part of it instead.', file.name), 'error');
    return;
  }
  const content = await page.readOrReport(file.name, file.text());
  if (content === undefined) return;
  const name = file.name.slice(0, 200);
  // Like git, treat a file as binary if its first 8,000 characters contain a NUL, as for files of the workspace.
  if (content.slice(0, 8_000).includes('\0'))
    page.toasts.show(text('{0} isn’t a text file, so it can’t be added.', name), 'error');
  else await page.attach({ kind: 'paste', text: content, name }, session);
}
