import type * as vscode from 'vscode';
import type { Log } from '../../app/ports.ts';

/** Structured lines in the *Threadkeeper* output channel: `name {"field":value}`. Never message text. */
export function channelLog(channel: vscode.LogOutputChannel): Log {
  return {
    event: (name, fields, level) => channel[level ?? 'info'](`${name} ${JSON.stringify(fields)}`),
    warn: (message) => channel.warn(message),
  };
}
