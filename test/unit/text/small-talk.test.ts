import assert from 'node:assert/strict';
import { isSmallTalk, isTableTalk } from '../../../src/core/text/small-talk.ts';

describe('small talk', () => {
  it('includes courtesies of one word', () => {
    for (const text of ['Lovely.', 'Noted.', 'Brilliant!', 'Understood, thanks.', 'Congratulations, Ruth!'])
      assert.ok(isSmallTalk(text), text);
  });

  it('includes courtesies and dice after a speaker’s name', () => {
    for (const text of ['Mira: good.', 'Léa : avec plaisir !', 'Jo: insight 14', 'Dov: lockpicking: 11.'])
      assert.ok(isSmallTalk(text), text);
    for (const text of ['Mira: good locks cost 40.', 'Jo: Tuk has insight 14 more times', 'Budget: 14 crowns'])
      assert.ok(!isSmallTalk(text), text);
  });

  it('does not include the answers of a form', () => {
    for (const text of ['Guests: 4', 'History: 14', 'Breakfast: yes.', 'Parking: no, thanks', 'Frühstück: ja, bitte'])
      assert.ok(!isSmallTalk(text), text);
  });

  it('does not include sentences in other scripts that end with a number', () => {
    for (const text of ['参加人数は 12', '我们决定每周开会 3', 'العدد هو 12', 'Гостей будет 4', 'मेहमान 4'])
      assert.ok(!isSmallTalk(text), text);
  });

  it('includes dice after the name of a role', () => {
    for (const text of ['Dungeon master: 14.', 'Jo : insight 14', 'Mira: I rolled a 9'])
      assert.ok(isTableTalk(text), text);
  });

  it('includes dice in German, Spanish, French, Italian, and Portuguese', () => {
    for (const text of [
      'Ich habe eine 18 mit dem W20.',
      'Mist, nur eine 3.',
      'Würfle auf Ausdauer.',
      'Un 1 natural.',
      'Tira sigilo.',
      'Ho fatto 14.',
      'Deu 7.',
      'Seulement un 4.',
    ])
      assert.ok(isTableTalk(text), text);
    for (const text of [
      'Ich habe 3 Heiltränke.',
      'Tira el 20 la caja vieja.',
      'Noch 3 Tage.',
      'Das Fenster ist 3 m breit.',
      'I have a son, 12.',
    ])
      assert.ok(!isTableTalk(text), text);
    for (const text of ['Der Termin ist in Raum W20.', 'Please use 5W40 oil.', 'Due acque: 1 naturale e 1 frizzante.'])
      assert.ok(!isTableTalk(text) && !isSmallTalk(text), text);
  });

  it('includes dice in other languages only at a game’s table', () => {
    const text = 'Ich fahre mit dem W12 zur Arbeit.';
    assert.ok(isTableTalk(text));
    assert.ok(!isSmallTalk(text));
  });

  it('includes courtesies of a receptionist in other languages', () => {
    for (const text of [
      'No worries, just let us know.',
      'Faltaría más.',
      'Apuntado.',
      'Noté.',
      'Allerdings.',
      'Kein Problem!',
      'Kein Problem, gern.',
      'Pas de souci, merci.',
      'Sin problema, gracias.',
    ])
      assert.ok(isSmallTalk(text), text);
    for (const text of [
      'Let us know the number of guests.',
      'Noté : le port est 8085.',
      'Kein Problem mit Port 8080.',
      'Pas de problème cardiaque.',
      'Sin problema cardíaco.',
    ])
      assert.ok(!isSmallTalk(text), text);
  });

  it('does not include the state of a character’s health', () => {
    for (const text of ['Hit points back to 24 of 24.', 'She has 7 hit points left.'])
      assert.ok(!isSmallTalk(text) && !isTableTalk(text), text);
  });

  it('does not include a courtesy with content', () => {
    for (const text of ['Understood: a lift is required.', 'Noted, the invoice goes to Ruth.', '4 Lovely Road'])
      assert.ok(!isSmallTalk(text), text);
  });
});
