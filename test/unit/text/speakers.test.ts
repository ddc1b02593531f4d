import assert from 'node:assert/strict';
import { renderEvent } from '../../../src/core/context/render-context.ts';
import { speakerBefore, speakerLabelAt } from '../../../src/core/text/speakers.ts';
import { keyEvent } from '../../support/key-events.ts';

describe('speakers', () => {
  it('are found before a quote, on the same line', () => {
    const text =
      'Ana: Hello. I take the train.\n[00:12] Juan de la Cruz: Fine. Me too.\nWe leave at 6.\n**Kim (PM)**: OK. Done.';
    const before = (quote: string): string => speakerBefore(text, text.indexOf(quote));
    assert.equal(before('I take'), 'Ana:');
    assert.equal(before('Me too'), '[00:12] Juan de la Cruz:');
    assert.equal(before('We leave'), '');
    assert.equal(before('Done'), '**Kim (PM)**:');
    assert.equal(before('Ana'), '');
    assert.equal(speakerBefore('Ana: Yes. Kim: No.', 10), '');
  });

  it('are only looked for near a quote, so that many quotes on a long line take linear time', () => {
    const speech = 'Ana: Hello. '.padEnd(3_990, 'and so on ');
    assert.equal(speakerBefore(`${speech}We leave at 6.`, speech.length), 'Ana:');
    assert.equal(speakerBefore(`Kim: OK.\n${speech}We leave at 6.`, speech.length + 9), 'Ana:');
    assert.equal(speakerBefore(`${speech.repeat(2)}We leave at 6.`, 2 * speech.length), '');
  });

  it('are sent with a key event unless its quote begins with them', () => {
    const sent = (quote: string): string => renderEvent(keyEvent(quote, { speaker: 'Karim :' }), 2, 'user');
    assert.match(sent('My budget is 700 €'), /message 3\] Karim : … My budget is 700 €$/);
    assert.match(sent('Karim : no Slovenia'), /message 3\] Karim : no Slovenia$/);
  });

  const PASTED = {
    'an English mail':
      'From: Ana Ruiz <ana@example.org>\nTo: Team\nCc: Kim\nDate: Mon, 2 Mar 2026 09:00\nSubject: Release. Please read.\n' +
      'Re: Release\nAttachments: plan.pdf\nImportant: Never deploy on Fridays. PS: I am away on Monday.\nFYI: The key is new.',
    'English minutes':
      'Meeting Notes: Backend. Draft.\nAttendees: Ana, Kim\nAgenda: Ports. Hosts.\nDecision: We use port 8080. It is free.\n' +
      'Action Items: Kim asks the host.\nOpen Questions: Who pays?\nNext Steps: Ana writes to them.\nDue Date: 4 May\nTodo: Rename it.',
    'English release notes':
      'Version 2.1: Faster. Smaller.\nRelease Date: 2 March\nFixed: A crash. It was rare.\nAdded: Search.\nChanged: Colors.\n' +
      'Removed: Tabs.\nKnown Issues: None.\n**Note:** Restart it. Then sign in.\nUpdate: It is out. Get it.\nWarning: Back up first.',
    'a Spanish mail and minutes':
      'De: Ana Ruiz\nPara: Equipo\nFecha: 2 de marzo\nAsunto: Entrega. Leer hoy.\nAdjunto: plan.pdf\nNota: Hay cambios. Son pocos.\n' +
      'Actualización: Ya está. Gracias.\nDecisión: Usamos SQLite. Es fácil.\nAcuerdos: Ninguno.\nTareas: Escribir.\n' +
      'Fecha de Entrega: 4 de mayo\nPróximos Pasos: Probar.\nResumen: Todo bien.\nImportante: No tocar.\nPregunta: ¿Quién paga?',
    'a German mail and minutes':
      'Von: Ana Ruiz\nGesendet: Montag, 2. März\nBetreff: Lieferung. Bitte lesen.\nAnhang: plan.pdf\nDatum: 2. März\n' +
      'Hinweis: Es gibt Änderungen. Nur kleine.\nTeilnehmer: Ana, Kim\nTagesordnung: Ports.\nBeschluss: Wir nehmen SQLite. Das reicht.\n' +
      'Aufgaben: Kim fragt nach.\nOffene Fragen: Wer zahlt?\nNächste Schritte: Testen.\nFrist: 4. Mai\nAchtung: Nicht anfassen.\n' +
      'Update: Ist fertig. Danke.\nWichtig: Nie freitags.\nZusammenfassung: Alles gut.\nProblem: Es hängt.\nLösung: Neustart.',
    'a French mail and minutes':
      'De : Ana Ruiz\nEnvoyé : lundi 2 mars\nObjet : Livraison. À lire.\nDate : 2 mars\nNote : Il y a du neuf. Lisez.\n' +
      'Participants : Ana, Kim\nDécision : On prend SQLite. C’est simple.\nActions : Kim demande.\nDate de Livraison : 4 mai\n' +
      'Remarque : Ne pas toucher.\nRappel : Jamais le vendredi.\nRésumé : Tout va bien.\nProblème : Ça bloque.\nDélai : 4 mai',
    'a Portuguese mail':
      'De: Ana\nAssunto: Entrega. Leia hoje.\nAnexo: plano.pdf\nObservação: Há mudanças. Poucas.\nAtualização: Pronto. Obrigada.\n' +
      'Decisão: Usamos SQLite. É fácil.\nPrazo: 4 de maio',
    'headings of people':
      'Participantes: Ana, Kim\nTeilnehmende: Ana, Kim\nMeeting Participants: Ana, Kim\nAsistentes: Ana, Kim\nAttendees: Ana',
    'headings with other endings':
      'Start Date: 4 May\nNext Release Date: 4 May\nDates: 4 May\nObjective: Speed.\nObjetivos: Velocidad.\nObjectif : Vite.\n' +
      'Objeto: Puertos.\nDecisiones: Ninguna.\nEntscheidungen: Keine.\nBeschlüsse: Keine.\nSolution: Restart.\nSoluciones: Ninguna.\n' +
      'Questions: None.\nQuestões: Nenhuma.\nConclusions: None.\nConclusión: Funciona.\nExemple : Un port.\nPriorität: Hoch.\n' +
      'Prioridad: Alta.\nCorrección: Son dos.\nImportantes: Las claves.\nAttached: The plan.\nErgebnisprotokoll: Ports.',
    errors: 'Error: It broke. Again.\nValueError: no port. Exit.\nTypeError: x is undefined.',
  };
  for (const [what, text] of Object.entries(PASTED))
    it(`aren’t the labels in ${what}`, () => {
      const labels = text.split('\n').map((line) => speakerLabelAt(line, 0));
      assert.deepEqual(
        labels.filter((label) => label !== ''),
        [],
      );
    });

  it('are people, roles, and characters', () => {
    const names =
      'Project Manager|Marketing|Industrial Designer|Professor E|User Interface|Grad G|PhD C|Postdoc B|LAURA|MARIHSA|Jana|Léa|Jo|' +
      'Dov|Customer|User|Assistant|Moderator|Doctor|Host|Guide|Dungeon Master|Captain Price|Data|Link|Edit|An Nguyen|To Minh|A|B|Mark|' +
      'Will|Grace|Hope|Warner|Resul|Robert De Niro|Maria von Trapp|Ana (Marketing)|Agent 47|Release Manager|Quest Giver|Axel Neu|Person A|Player 2|Asistente|Cliente|' +
      'Participant|Participant 1|Participant A|Participante 3|Teilnehmer 2|Teilnehmerin|Attendee 1|Participant 12 (F)|Masamune Date|' +
      'Objector|Questioner|Importer|Corrector|Statue|Night Terror|Solus|Questa|Entscheider|Problemlöser|Resuma|Adjunta|' +
      'Kunde|Leiterin|Médecin|Day|Place|Dr. Ort|Frau Zeit|Point|田中|王小明';
    for (const name of names.split('|'))
      for (const label of [`${name}:`, `**${name}**:`, `[09:12] ${name}:`])
        assert.equal(speakerLabelAt(`${label} We leave at 6.`, 0), label);
  });
});
