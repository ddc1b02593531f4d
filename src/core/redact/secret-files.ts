/** Names of files that usually contain secrets, such as `.env` or a private key. */
const SECRET_FILE =
  /^(?:\.env(?:\..*)?|.+\.env|\.envrc|\.npmrc|\.pypirc|\.htpasswd|\.pgpass|[._]netrc|\.git-credentials|id_(?:rsa|dsa|ecdsa|ed25519)|(?:credentials?|secrets?)(?:\.(?:json|ya?ml|toml|ini|txt|properties))?|.+\.(?:pem|key|pfx|p12|jks|keystore|kdbx))$/i;

/** Whether a file's name suggests that it contains secrets. `path` has forward slashes. */
export const isSecretFile = (path: string): boolean => SECRET_FILE.test(path.slice(path.lastIndexOf('/') + 1));
