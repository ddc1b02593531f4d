import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { foreignLanguage } from '../../../src/core/text/language.ts';
import { jsonLines } from '../../support/test-data.ts';

/** The same summary in several languages. */
const SUMMARIES = {
  English:
    'Anna booked a table for four on Friday at 7 pm. She wants a seat by the window because her mother does not hear well. The waiter confirmed it; it is still open whether the menu should be vegetarian.',
  German:
    'Anna hat einen Tisch für vier Personen am Freitag um 19 Uhr gebucht. Sie möchte einen Platz am Fenster, weil ihre Mutter nicht gut hört. Der Kellner hat es bestätigt; offen ist, ob das Menü vegetarisch sein soll.',
  French:
    'Anna a réservé une table pour quatre personnes vendredi à 19 h. Elle veut une place près de la fenêtre parce que sa mère n’entend pas bien. Le serveur a confirmé avec elle ; reste à savoir si le menu est végétarien.',
  Spanish:
    'Anna reservó una mesa para cuatro personas el viernes a las 19. Quiere un sitio junto a la ventana porque su madre no oye bien. El camarero confirma la reserva; los niños y el abuelo no van; queda pendiente si el menú es vegetariano.',
  Portuguese:
    'Anna reservou uma mesa para quatro pessoas na sexta às 19h. Ela quer um lugar ao lado da janela, pois a mãe não ouve bem. Ele confirma a reserva; não sabe se o cardápio é vegetariano, e os filhos dela não vêm. Isso não foi decidido.',
  Japanese:
    'アンナは金曜日の19時に4名で席を予約した。母親は耳が遠いため、窓側の席を希望している。店員は予約を確認したが、菜食の料理にするかどうかは未定である。',
  Chinese:
    '安娜订了周五晚上七点四个人的桌子。因为母亲听力不好，她想要靠窗的位置。服务员已经确认了预订，菜单是否素食还没有决定。',
  Cyrillic:
    'Анна заказала столик на четверых на пятницу в семь вечера. Она хочет место у окна, потому что её мать плохо слышит. Официант подтвердил заказ; неясно, будет ли меню вегетарианским.',
};
/** Languages without stop words. */
const OTHERS: readonly [string, ...string[]] = [
  'Anna ha prenotato un tavolo per quattro persone venerdì alle 19. Vuole un posto vicino alla finestra perché la madre non sente bene. Il cameriere conferma la prenotazione; resta da decidere se il menù deve essere vegetariano.',
  'Anna heeft een tafel voor vier personen geboekt op vrijdag om 19 uur. Ze wil een plaats bij het raam omdat haar moeder niet goed hoort. De ober bevestigt de reservering; het is nog open of die in de hal wordt gedekt.',
  'Anna bokade ett bord för fyra på fredag klockan 19. Hon vill ha en plats vid fönstret eftersom hennes mamma inte hör bra. Servitören bekräftar bokningen; det är fortfarande öppet om menyn ska vara vegetarisk.',
];

describe('A summary in another language', () => {
  const all = Object.entries(SUMMARIES);
  for (const [language, summary] of all)
    it(`is recognized in ${language}, and not in a conversation in ${language}`, () => {
      for (const [other, text] of all)
        assert.equal(foreignLanguage(summary, [text, text]), other === language ? undefined : language, other);
    });

  it('is recognized in a conversation in a language without stop words, but not the other way around', () => {
    const [italian] = OTHERS;
    assert.equal(foreignLanguage(SUMMARIES.English, [italian, italian]), 'English');
    for (const other of OTHERS)
      for (const text of [...OTHERS, ...all.map(([, summary]) => summary)])
        assert.equal(foreignLanguage(other, [text, text]), undefined);
  });

  it('is not recognized if a side of the conversation, or a tenth of both, uses its language', () => {
    const { English, German } = SUMMARIES;
    const long = `${German}\n`.repeat(20);
    assert.equal(foreignLanguage(English, [English, German]), undefined);
    assert.equal(foreignLanguage(English, [English, long]), undefined);
    assert.equal(foreignLanguage(English, [long, long + English]), 'English');
    assert.equal(foreignLanguage(English, [long, `${German}\n`.repeat(5) + English]), undefined);
    assert.equal(foreignLanguage(English, ['ok', long]), 'English');
  });

  it('is not recognized in names, code, quotations, or a few words', () => {
    const { English, German } = SUMMARIES;
    for (const text of [
      'Anna, Freitag, 19 Uhr.',
      'The table is for four.',
      `Anna: „${English}“`,
      `Anna: "${English}"`,
      `\`\`\`\n${English}\n\`\`\``,
      'Anna Schmidt, Karl von der Heide, Café Central, Trattoria Da Mario, `npm run test -- --watch`, src/app/the/of.ts',
      'Decisions: React, Vite, Vitest, Playwright, Tailwind, Zod and Postgres for the Backend, Redis, Docker, Kubernetes, Terraform, Grafana, Loki, Tempo, Sentry',
    ])
      assert.equal(foreignLanguage(text, [German, German]), undefined, text);
  });

  const folder = new URL('../../fixtures/short-chats/', import.meta.url);
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.jsonl')))
    it(`is not recognized in excerpts from the same conversation: ${file}`, () => {
      const said = jsonLines<{ readonly role: string; readonly content: string }>(new URL(file, folder));
      const sides = ['user', 'assistant'].map((side) =>
        said.flatMap(({ role, content }) => (role === side ? content : [])).join('\n'),
      );
      for (let from = 0; from < said.length; from += 4)
        for (const length of [2, 6]) {
          const excerpt = said.slice(from, from + length).map(({ content }) => content);
          assert.equal(foreignLanguage(excerpt.join(' '), sides), undefined);
        }
    });
});
