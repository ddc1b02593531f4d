import assert from 'node:assert/strict';
import type * as EditorModelsModule from '../../../src/host/models/vscode-models.ts';
import { hostIn, memento } from '../../support/fake-editor.ts';

const offered = ['auto', 'large'].map((id) => ({
  vendor: 'copilot',
  id,
  name: id,
  maxInputTokens: id === 'large' ? 900_000 : 60_000,
}));
const lm = {
  onDidChangeChatModels: () => ({ dispose: () => undefined }),
  selectChatModels: ({ id }: { readonly id?: string }) =>
    Promise.resolve(offered.filter((each) => id === undefined || each.id === id)),
};

describe('models of VS Code', () => {
  it('keep one session’s selected model apart from another session’s default model', async () => {
    const module = await hostIn({ lm })<typeof EditorModelsModule>('models/vscode-models.ts');
    const models = module.createVsCodeModels(memento(), {} as never, () => undefined);
    await models.find('copilot/large');
    const first = await models.find('');
    assert.equal(first?.id, 'auto');
    assert.equal(models.facts('')?.name, 'auto');
    assert.equal(models.facts('copilot/large')?.name, 'large');
    models.dispose();
  });
});
