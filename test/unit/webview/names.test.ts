import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { LANGUAGES } from '../../../scripts/texts/check-translations.ts';
import { KEY_EVENT_KINDS } from '../../../src/core/model/key-event.ts';
import type * as KindsModule from '../../../src/host/platform/key-event-kinds.ts';
import type * as L10nModule from '../../../src/host/platform/l10n.ts';
import { kindName, roleName, stateNames } from '../../../src/webview/names.ts';
import { readTranslations } from '../../../src/webview/texts.ts';
import { hostIn } from '../../support/fake-editor.ts';

describe('names on the page', () => {
  let translations: Readonly<Record<string, string>> = {};
  const load = hostIn({ l10n: { t: (text: string) => translations[text] } });

  afterEach(() => readTranslations('{}'));

  for (const language of LANGUAGES)
    it(`are those of the host in every language: ${language}`, async () => {
      const host = await load<typeof KindsModule>('platform/key-event-kinds.ts');
      const l10n = await load<typeof L10nModule>('platform/l10n.ts');
      const bundle = readFileSync(`l10n/bundle.l10n.${language}.json`, 'utf8');
      translations = JSON.parse(bundle) as typeof translations;
      readTranslations(bundle);
      for (const kind of KEY_EVENT_KINDS) assert.equal(kindName(kind), host.kindName(kind));
      for (const role of ['user', 'assistant', 'system', 'tool']) assert.equal(roleName(role), l10n.roleName(role));
      assert.notEqual(kindName('decision'), 'Decision');
    });

  it('tell screen readers which key events are pinned or superseded', () => {
    assert.deepEqual(stateNames({ pinned: true, status: 'superseded' }), ['pinned', 'superseded']);
    assert.deepEqual(stateNames({ pinned: false, status: 'merged' }), ['superseded']);
    assert.deepEqual(stateNames({ pinned: false, status: 'active' }), []);
  });
});
