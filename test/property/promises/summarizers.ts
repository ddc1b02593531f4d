import { ModelFault } from '../../../src/app/fault.ts';
import { messageText } from '../../../src/core/model/message.ts';
import { says, throws, type Script } from '../../unit/app/harness.ts';
import type { ModelName } from './steps.ts';

/** Summarizers that never return a usable summary. */
export type HardModel = Extract<ModelName, 'throwing' | 'empty' | 'long'>;

const GOOD = JSON.stringify({
  narrative: 'They went through the parts of the listing, one after the other, and agreed on how to go on.',
  decisions: [{ what: 'go on as agreed' }],
  topics: ['the listing'],
});

/** Summarizers of all kinds: good ones, broken ones, and one that fails every other time. */
export function summarizerOf(name: ModelName): Script | undefined {
  let calls = 0;
  switch (name) {
    case 'none':
      return undefined;
    case 'good':
      return says(GOOD);
    case 'throwing':
      // Throws a new error each time, like a real provider.
      return (request, signal) => throws(new ModelFault('overloaded', 'It is down.'))(request, signal);
    case 'empty':
      return says('');
    case 'broken':
      return says('{"narrative": "They went');
    case 'long':
      return (request, signal) => {
        const prompt = request.messages.map((message) => messageText(message)).join('\n');
        return says(`${prompt}\n${prompt}`)(request, signal);
      };
    case 'flaky':
      return (request, signal) =>
        (calls++ % 2 === 0 ? throws(new ModelFault('network', 'gone')) : says(GOOD))(request, signal);
  }
}
