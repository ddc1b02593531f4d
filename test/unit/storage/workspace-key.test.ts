import assert from 'node:assert/strict';
import { isWithoutFolder, looksMoved, workspaceKey, workspaceName } from '../../../src/storage/workspace-key.ts';

describe('workspace key', () => {
  const key = (...folders: string[]): string => workspaceKey({ folders });

  it('is the same for every spelling of a folder', () => {
    assert.equal(key('file:///c%3A/Work/app/'), key('file:///C:/Work/app'));
    assert.equal(key('file:///home/me/caf%C3%A9'), key('FILE:///home/me/cafe\u0301'));
    assert.notEqual(key('file:///home/me/App'), key('file:///home/me/app'));
  });

  it('does not depend on the order of several folders', () => {
    assert.equal(key('file:///a', 'file:///b'), key('file:///b', 'file:///a', 'file:///b/'));
    assert.notEqual(key('file:///a', 'file:///b'), key('file:///a'));
  });

  it('uses the open workspace file, unless it is not saved yet', () => {
    const folders = ['file:///a'];
    assert.equal(workspaceKey({ folders, workspaceFile: 'file:///x.code-workspace' }), 'file:file:///x.code-workspace');
    assert.equal(workspaceKey({ folders, workspaceFile: 'untitled:Untitled-1' }), key('file:///a'));
  });

  it('differs between remotes, and exists without a folder', () => {
    assert.equal(workspaceKey({ folders: [] }), 'empty');
    assert.equal(workspaceKey({ folders: [], remoteName: 'wsl' }), 'wsl!empty');
    assert.notEqual(workspaceKey({ folders: ['file:///a'], remoteName: 'ssh-remote' }), key('file:///a'));
  });

  it('is the same at each address of a server that is opened in a browser', () => {
    for (const remoteName of ['localhost', 'localhost:8080', '192.168.0.7:8080', '[::1]:3000', 'code.example.com'])
      assert.equal(workspaceKey({ folders: ['file:///a'], remoteName }), key('file:///a'));
  });

  it('stays short and distinct for workspaces with many folders', () => {
    const many = Array.from({ length: 60 }, (_, n) => `file:///projects/part-${n}`);
    assert.ok(key(...many).length <= 250);
    assert.notEqual(key(...many), key(...many.slice(0, 59)));
  });

  it('provides the folder’s display name, and shows whether a folder was moved', () => {
    assert.equal(workspaceName(key('file:///home/me/my%20app')), 'my app');
    assert.equal(workspaceName(key('file:///home/me/a%7Cb')), 'a|b');
    assert.equal(workspaceName(key('file:///home/me/50%2520')), '50%20');
    assert.equal(workspaceName(key('file:///b/c', 'file:///a/b')), 'b');
    assert.ok(looksMoved(key('file:///old/app'), key('file:///new/app')));
    assert.ok(!looksMoved(key('file:///old/app'), key('file:///old/other')));
  });

  it('shows whether there is no folder, whatever a folder’s name is', () => {
    assert.ok(isWithoutFolder(workspaceKey({ folders: [] })));
    assert.ok(isWithoutFolder(workspaceKey({ folders: [], remoteName: 'wsl' })));
    assert.ok(!isWithoutFolder(key('file:///notes/half%21empty')));
  });

  it('is a string even for an invalid URI', () => {
    assert.equal(typeof key('%%%'), 'string');
    assert.equal(typeof workspaceName('%E0%A4%A'), 'string');
  });
});
