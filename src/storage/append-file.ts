import { open } from 'node:fs/promises';

/** The end of a file, for appending: the one seam through which a journal's bytes go to disk. */
export interface AppendFile {
  /** Writes at the file's end, wherever that is by now, in one piece where the system can; returns the bytes written. */
  write(bytes: Uint8Array): Promise<number>;
  /** Resolves when what was written survives a power failure. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

export type OpenForAppend = (path: string) => Promise<AppendFile>;

/** Opens a file in append mode, in which concurrent writes of two processes never interleave on a local disk. */
export const openForAppend: OpenForAppend = async (path) => {
  const file = await open(path, 'a');
  return {
    write: async (bytes) => (await file.write(bytes)).bytesWritten,
    flush: () => file.datasync(),
    close: () => file.close(),
  };
};
