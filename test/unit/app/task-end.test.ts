import assert from 'node:assert/strict';
import type { Conversation } from '../../../src/app/conversation.ts';
import { saysGoalReached } from '../../../src/core/model/task-list.ts';
import { Harness, says, texts } from './harness.ts';
import { openForEachTest } from '../../support/per-test.ts';

describe('goal-reached detection', () => {
  for (const reply of [
    'Done! Everything is finished.',
    'I renamed the option and ran the tests.\n\n[goal reached]',
    'I renamed the option.\n\n**[goal reached]**',
    'I renamed the option.\n\n`[Goal reached].`',
    'The tests pass. All steps are done.',
    'Listo. Todo está terminado.',
    'Damit ist alles erledigt.',
    'La tâche est terminée.',
    'Tudo está concluído.',
    'これでタスクはすべて完了しました。',
    '任务已完成。',
    'We have reached the goal.',
    'All four steps are done.',
    'Das Ziel ist erreicht, alles ist erledigt.',
    'Alle Schritte sind abgeschlossen.',
    'El objetivo está cumplido.',
    'Se ha alcanzado el objetivo.',
    'Todos los pasos están completados.',
    'O objetivo foi alcançado.',
    'Todas as etapas foram concluídas.',
    'L’objectif est atteint.',
    'Toutes les étapes sont terminées.',
    '目標を達成しました。',
    '全て完了しました。',
    '目标已达成。',
    'Der Saal ist gebucht.\n\n[Ziel erreicht]',
    'El salón está reservado.\n[objetivo alcanzado]',
    '会場を予約しました。\n[目標達成]',
    '任务已完成，旧文件已删除。',
    '任务已完成，移除了旧代码。',
    '任务已完成，没有发现错误。',
    '全部完成，未发现任何错误。',
    'すべて完了しました、問題ありません。',
    'すべて完了しました、何かありましたらお知らせください。',
    'Alles ist erledigt, sag Bescheid, wenn du noch etwas brauchst.',
    'Todo está listo, avísame cuando quieras seguir.',
    'Tout est terminé, dites-moi quand vous voulez continuer.',
    'Tudo pronto, me avise quando quiser publicar.',
    '**Das Ziel** ist erreicht ✅',
    'すべて完了いたしました。',
    'The task has been completed successfully.',
    'All done for today.',
    'Everything is done for you.',
    'All tasks are done, including step 5.',
    '任务已完成，第一次运行就成功了。',
  ])
    it(`recognizes a reply: ${JSON.stringify(reply.slice(0, 60))}`, () => assert.equal(saysGoalReached(reply), true));

  for (const reply of [
    'Not everything is done yet.',
    'All done for phase 1.',
    'All done with step 3.',
    'Alles erledigt für Schritt 2.',
    'Todo está listo, en la fase 1.',
    '全部完成，第一阶段到此结束。',
    'Everything is done except the docs.',
    '- [ ] All tasks are done',
    '1. [ ] Everything is done.',
    'Is everything done?',
    'Once everything is finished I will tell you.',
    'The first step is done. Next comes the parser.',
    'When all steps are done, run the release.',
    '```\n[goal reached]\n```\nI will print this line at the end.',
    'The build is finished in 12 s.',
    'All previous steps are done.',
    'Das Ziel ist noch nicht erreicht.',
    'Alles ist erledigt, sobald die Tests grün sind.',
    'El objetivo no está cumplido.',
    'Todo está listo para empezar.',
    'O objetivo será alcançado quando todos responderem.',
    'L’objectif n’est pas atteint.',
    'すべて完了していません。',
    'すべての手順が完了したら報告します。',
    'すべてが完了するまで待ちます。',
    '目標はまだ達成していません。',
    '全部完成之前不要部署。',
    '任务完成后我会通知你。',
    '目标还没有达成。',
    'We have reached the goal of the first milestone.',
    'We reached the goal of 80% coverage for the parser, next comes the lexer.',
    'All 3 items are done, 4 remain.',
    '目標を達成しましょう。',
    '目標を達成したい場合は、次の手順に進みます。',
    '全て完了後にデプロイします。',
    '全て完了予定です。',
    'すべて完了後にデプロイします。',
    '目标已完成一半。',
    '目标已完成80%。',
    'Todos los pasos están listos para ejecutar.',
    'Todos los pasos están listos para que los revises.',
    'Todas as etapas estão prontas para execução.',
    'Hemos alcanzado el objetivo de la primera fase.',
    'El objetivo está cumplido al 50 %.',
    'L’objectif est atteint pour la première étape.',
    '**El objetivo está cumplido** al 50 %.',
    '“Das Ziel ist erreicht” bedeutet, dass alle Tests grün sind.',
    '任务已完成，但测试没有通过。',
    'Tout est prêt pour le déploiement.',
    'Todo está hecho, solo falta publicar.',
    'Alles ist erledigt, nur die Tests fehlen.',
    '任务已完成，只剩部署。',
    'すべて完了しました、あとはデプロイだけです。',
  ])
    it(`ignores a reply: ${JSON.stringify(reply.slice(0, 60))}`, () => assert.equal(saysGoalReached(reply), false));
});

const SUMMARY = says('They talked about a listing.');

describe('end of a task', () => {
  let harness: Harness;
  openForEachTest(async () => (harness = await Harness.open()));

  /** A conversation with this task, in which the reply to the first message is this one. */
  const answered = async (reply: string, goal: string, ...steps: readonly string[]): Promise<Conversation> => {
    const conversation = await harness.converse();
    await conversation.setTask(
      goal,
      steps.map((text) => ({ text, status: 'pending' })),
    );
    harness.script = says(reply);
    await conversation.send('Go.');
    return conversation;
  };
  const BOOKED = 'The hall is booked.\n[goal reached]';
  const sentTask = (): boolean => JSON.stringify(harness.requests.at(-1)?.messages).includes('current_task');

  it('skips open steps, drops the task from the next request, and keeps the conversation and system prompt', async () => {
    const conversation = await harness.converse();
    await conversation.setTask('Organize the workshop', [
      { text: 'Book the venue', status: 'pending' },
      { text: 'Invite the speakers', status: 'pending' },
    ]);
    harness.script = says('I have booked the hall for 12 May.\n\n- [x] Book the venue');
    await conversation.send('Please start with the venue.');
    assert.ok(sentTask());
    assert.match(JSON.stringify(harness.requests[0]?.messages), /end the reply with the line \[goal reached\]/);
    assert.deepEqual(
      conversation.state.task?.steps.map(({ status }) => status),
      ['done', 'pending'],
    );

    harness.script = says('Done! Everything is finished.');
    await conversation.send('The speakers have been invited by Marta already.');
    assert.deepEqual(
      conversation.state.task?.steps.map(({ status }) => status),
      ['done', 'skipped'],
    );

    harness.script = says('You are welcome.');
    await conversation.send('Now something else: what is the capital of Chile?');
    assert.equal(sentTask(), false, 'a finished task does not ride along');
    assert.equal(conversation.state.task, undefined);
    const [reset] = harness.logged('task_reset_preserving_conversation');
    assert.deepEqual([reset?.fields['session_id'], reset?.fields['automatic']], [conversation.journal.id, true]);
    const request = harness.requests.at(-1);
    assert.deepEqual(request?.system, ['You help with code.']);
    assert.match(JSON.stringify(request?.messages), /booked the hall for 12 May/);
  });

  it('is also detected for a task without steps', async () => {
    const conversation = await answered(BOOKED, 'Book the venue');
    const { request } = await conversation.previewSend({ text: 'And next?' });
    await conversation.send('And next?');
    assert.equal(sentTask(), false);
    assert.deepEqual(request.messages, harness.requests.at(-1)?.messages, 'as was previewed');
  });

  it('is also known after the session has been closed and opened again', async () => {
    const conversation = await answered(BOOKED, 'Book the venue');
    await (await harness.restart(conversation)).send('And next?');
    assert.equal(sentTask(), false);
  });

  it('is called off if another reply to the same message does not report it', async () => {
    const conversation = await answered(BOOKED, 'Book the venue');
    harness.script = says('The hall is not available on that day.');
    await conversation.retry(conversation.state.path.at(-2)!);
    await conversation.send('And next?');
    assert.ok(sentTask());
  });

  it('is called off if the user reopens a step', async () => {
    const conversation = await answered('Done! Everything is finished.', 'Organize the workshop', 'Book the venue');
    await conversation.journal.append({ type: 'task_step', step: 0, status: 'pending' });
    harness.script = says('Sorry, I will.');
    await conversation.send('The venue is not booked yet.');
    assert.ok(sentTask());
    assert.equal(conversation.state.endedTasks.length, 0);
  });

  it('is not caused by a reply to the previous task, nor by that task’s pending reset', async () => {
    for (const isEnded of [false, true]) {
      const conversation = await harness.converse();
      await conversation.setTask('Book the venue', [{ text: 'Call the hall', status: 'pending' }]);
      harness.script = async function* (request, signal) {
        if (isEnded) await conversation.resetTask();
        await conversation.setTask('Invite the speakers', [{ text: 'Write to Marta', status: 'pending' }]);
        yield* says('Done! Everything is finished.')(request, signal);
      };
      await conversation.send('Go.');
      assert.deepEqual(conversation.state.task?.steps, [{ text: 'Write to Marta', status: 'pending' }]);
      const goals = conversation.state.endedTasks.map(({ goal }) => goal);
      assert.deepEqual(goals, isEnded ? ['Book the venue'] : []);
    }
  });

  it('stores the next message before the history is compressed for the reset', async () => {
    const conversation = await harness.filled(60);
    await conversation.setTask('Book the venue', [{ text: 'Call the hall', status: 'done' }]);
    let stored: string | undefined;
    harness.summarizer = async function* (request, signal) {
      stored ??= texts(conversation).at(-1);
      yield* SUMMARY(request, signal);
    };
    await conversation.send('And next?');
    assert.equal(stored, 'And next?');
    assert.deepEqual(texts(conversation).slice(-2), ['And next?', 'Fine.']);
  });

  it('leaves a task that the user sets while the history is compressed for the reset', async () => {
    const conversation = await harness.filled(60);
    await conversation.setTask('Book the venue', []);
    const { asked } = harness.blockSummarizer(SUMMARY);
    const reset = conversation.resetTask();
    await asked;
    const writes: string[][] = [];
    conversation.journal.onDidChange((events) => writes.push(events.map(({ type }) => type)));
    await conversation.setTask('Invite the speakers', []);
    assert.deepEqual(writes, [['task_reset', 'task_set']]);
    conversation.compressor.cancel();
    await reset;
    assert.equal(harness.logged('task_reset_preserving_conversation').length, 1);
    assert.equal(conversation.state.task?.goal, 'Invite the speakers');
    const goals = conversation.state.endedTasks.map(({ goal }) => goal);
    assert.deepEqual(goals, ['Book the venue']);
  });

  it('is kept pending for a task that the user sets and resets while the history is compressed for the reset', async () => {
    const conversation = await harness.filled(60);
    await conversation.setTask('Book the venue', [{ text: 'Call the hall', status: 'done' }]);
    const { asked } = harness.blockSummarizer(SUMMARY);
    const sent = conversation.send('And next?');
    await asked;
    await conversation.setTask('Invite the speakers', []);
    await conversation.resetTask();
    conversation.compressor.cancel();
    harness.summarizer = SUMMARY;
    await sent;
    assert.deepEqual(
      conversation.state.endedTasks.map(({ goal }) => goal),
      ['Book the venue', 'Invite the speakers'],
    );
  });

  it('is stored once if a turn ends while the history is compressed for the reset', async () => {
    const conversation = await harness.filled(60);
    await conversation.setTask('Book the venue', []);
    const { asked, unblock } = harness.blockSummarizer(SUMMARY);
    const reset = conversation.resetTask();
    await asked;
    const ended = new Promise<void>((resolve) => {
      conversation.onUpdate(({ type }) => type === 'turn_ended' && resolve());
    });
    const sent = conversation.send('And next?');
    await ended;
    unblock();
    await Promise.all([reset, sent]);
    assert.equal(harness.logged('task_reset_preserving_conversation').length, 1);
    assert.equal(harness.logged('history_compression_triggered').length, 1);
  });

  it('is not detected in a reply that reports a single step', async () => {
    const conversation = await answered('I called, but not everything is done yet.', 'Book the venue', 'Call the hall');
    await conversation.send('And next?');
    assert.ok(sentTask());
  });

  it('a step is in progress as soon as work on it starts', async () => {
    const conversation = await harness.converse();
    await conversation.setTask('Organize the workshop', [
      { text: 'Book the venue', status: 'pending' },
      { text: 'Invite the speakers', status: 'pending' },
    ]);
    const during: (string | undefined)[] = [];
    harness.script = async function* (request, signal) {
      during.push(conversation.state.task?.steps.find(({ status }) => status === 'in_progress')?.text);
      yield* says(during.length === 1 ? '- [x] Book the venue' : '- [~] Invite the speakers')(request, signal);
    };
    await conversation.send('Go.');
    await conversation.send('Go on.');
    assert.deepEqual(during, ['Book the venue', 'Invite the speakers']);
  });
});
