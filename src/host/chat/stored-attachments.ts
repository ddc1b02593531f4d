import * as v from 'valibot';
import { amountSchema, idSchema } from '../../core/model/field-schemas.ts';
import type { SessionId } from '../../core/model/ids.ts';
import { attachmentSchema } from '../../core/model/message.ts';
import { SessionFile, type SessionFileDeps } from './session-file.ts';

/**
 * Maximum length of a session's stored attachments, in UTF-16 units: an image of the maximum size and a large file.
 * Writing more would block the extension host noticeably.
 */
const MAX_STORED_LENGTH = 6_000_000;

const imageSchema = v.object({ type: v.literal('image'), mediaType: v.string(), base64: v.string() });
const itemSchema = v.object({
  id: idSchema,
  tokens: amountSchema,
  item: v.variant('kind', [
    attachmentSchema,
    v.object({ kind: v.literal('image'), name: v.string(), image: imageSchema }),
  ]),
});
export type StoredAttachment = v.InferOutput<typeof itemSchema>;

/** `isCut`: some were too large to be stored. */
const schema = v.object({ attachments: v.array(itemSchema), isCut: v.boolean() });

interface StoredAttachmentsDeps extends SessionFileDeps {
  /** Reports that some attachments were too large to be stored. */
  readonly reportCut: () => void;
}

/** The attachments in the composers, which survive a reload. */
export class StoredAttachments {
  readonly #file: SessionFile<v.InferOutput<typeof schema>>;
  readonly #reportCut: () => void;

  constructor({ reportCut, ...deps }: StoredAttachmentsDeps) {
    this.#file = new SessionFile(deps, 'attachments', schema);
    this.#reportCut = reportCut;
  }

  read(session: SessionId): readonly StoredAttachment[] {
    const { attachments, isCut } = this.#file.read(session) ?? { attachments: [], isCut: false };
    if (isCut) {
      this.#reportCut();
      // Otherwise, it would be reported again after the next reload.
      this.write(session, attachments);
    }
    return attachments;
  }

  write(session: SessionId, all: readonly StoredAttachment[]): void {
    let room = MAX_STORED_LENGTH;
    const attachments = all.filter(({ item }) => {
      const { length } = item.kind === 'image' ? item.image.base64 : item.text;
      if (length > room) return false;
      room -= length;
      return true;
    });
    this.#file.write(session, all.length === 0 ? undefined : { attachments, isCut: attachments.length < all.length });
  }
}
