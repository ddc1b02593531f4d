import type * as vscode from 'vscode';

/** Stands in for a tool that the models of the editor's own chat may use. */
export function lateTool(find: () => Promise<vscode.LanguageModelTool<unknown>>): vscode.LanguageModelTool<unknown> {
  return {
    prepareInvocation: async (options, token) => (await find()).prepareInvocation?.(options, token),
    invoke: async (options, token) => (await find()).invoke(options, token),
  };
}
