import assert from 'node:assert/strict';
import { isSecretFile } from '../../../src/core/redact/secret-files.ts';

describe('detecting secret files by name', () => {
  it('recognizes dotenv files, keys and credential stores', () => {
    const names = '.env .env.local .ENV prod.env .envrc .npmrc .netrc _netrc .pgpass id_ed25519 server.pem tls.key';
    for (const name of [...names.split(' '), 'credentials', 'secrets.yaml', 'Credentials.json'])
      assert.ok(isSecretFile(`/home/sam/app/${name}`), name);
  });

  it('ignores source code, and files in a folder with such a name', () => {
    for (const path of [
      '/a/env.ts',
      '/a/.env/read.ts',
      '/a/secrets.ts',
      '/a/id_rsa.ts',
      '/a/keys.md',
      '/a/secret-files.ts',
    ])
      assert.ok(!isSecretFile(path), path);
  });
});
