// Plants the fault that PLANTED_FAULT describes as its source file is loaded: no file on disk is touched.
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';

const { seed, fault } = JSON.parse(process.env.PLANTED_FAULT ?? '{}');

// The first case that fails is enough: nobody reads the shortest.
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
