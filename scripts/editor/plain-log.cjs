// Replaces @vscode/spdlog, whose native part would have to be compiled. Without it, the server writes no log files, so
// the output of extensions' log channels would be lost.
const { appendFileSync, mkdirSync } = require('node:fs');
const path = require('node:path');

const LEVELS = ['trace', 'debug', 'info', 'warning', 'error', 'critical'];

class Logger {
  #file;
  #level = LEVELS.indexOf('info');
  #isFramed = true;

  constructor(_type, _name, file) {
    mkdirSync(path.dirname(file), { recursive: true });
    this.#file = file;
  }

  getLevel = () => this.#level;
  setLevel = (level) => void (this.#level = level);
  /** Without a formatter, the caller adds line breaks and levels itself. */
  clearFormatters = () => void (this.#isFramed = false);

  trace = (message) => this.#write(0, message);
  debug = (message) => this.#write(1, message);
  info = (message) => this.#write(2, message);
  warn = (message) => this.#write(3, message);
  error = (message) => this.#write(4, message);
  critical = (message) => this.#write(5, message);

  setPattern() {}
  flush() {}
  drop() {}

  #write(level, message) {
    if (level < this.#level) return;
    const time = new Date().toISOString().replace('T', ' ').replace('Z', '');
    appendFileSync(this.#file, this.#isFramed ? `${time} [${LEVELS[level]}] ${message}\n` : message);
  }
}

const create = async (name, file) => new Logger('rotating', name, file);

// Separate exports, because the server imports them by name, which Node can't detect in an object.
exports.version = 0;
exports.setLevel = () => undefined;
exports.setFlushOn = () => undefined;
exports.Logger = Logger;
exports.createRotatingLogger = create;
exports.createAsyncRotatingLogger = create;
