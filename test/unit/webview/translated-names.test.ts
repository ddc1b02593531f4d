import assert from 'node:assert/strict';
import { kindName, roleName, stateNames } from '../../../src/webview/translated-names.ts';
import { readTranslations } from '../../../src/webview/texts.ts';

describe('names on the page', () => {
  afterEach(() => readTranslations('{}'));

  it('are those of the host in the display language', () => {
    readTranslations(JSON.stringify({ Decision: 'Entscheidung', You: 'Sie' }));
    assert.deepEqual([kindName('decision'), roleName('user')], ['Entscheidung', 'Sie']);
    assert.deepEqual([kindName('fact'), roleName('critic')], ['Fact', 'critic']);
  });

  it('tell screen readers which key events are pinned or superseded', () => {
    assert.deepEqual(stateNames({ pinned: true, status: 'superseded' }), ['pinned', 'superseded']);
    assert.deepEqual(stateNames({ pinned: false, status: 'merged' }), ['superseded']);
    assert.deepEqual(stateNames({ pinned: false, status: 'active' }), []);
  });
});
