// Plants the fault in PLANTED_FAULT when its source file is loaded. Files on disk aren't changed.
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';

const { seed, fault } = JSON.parse(process.env.PLANTED_FAULT ?? '{}');

// Stops at the first failing case, because a shrunk one isn't needed.
fc.configureGlobal({ seed, endOnFailure: true, includeErrorInReport: true });

if (fault) {
  const target = pathToFileURL(fault.file).href;
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      if (url !== target) return loaded;
      const parts = readFileSync(fault.file, 'utf8').split(fault.find);
      if (parts.length !== 2) throw new Error(`The text stands ${parts.length - 1} times in ${fault.file}.`);
      return { ...loaded, source: parts.join(fault.put) };
    },
  });
}
