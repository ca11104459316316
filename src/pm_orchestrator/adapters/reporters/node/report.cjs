// What this process reports: one line for each test, written at once.
'use strict';

const fs = require('fs');
const path = require('path');

// Kept from before any test can put something else in their place.
const { openSync, writeSync } = fs;
const stringify = JSON.stringify;

const OWNER = 'PM_ORCHESTRATOR_TEST_RUN'; // the process whose run is the outermost
const FILES = 'files:'; // before its number, where each of its files is a process of its own

class Report {
  constructor(folder) {
    this.folder = folder;
    this.handle = -1;
    this.run = null; // the outermost run of this process
  }

  // Whether `run` is the one that counts; a run inside another is a test's own business.
  begin(run, runner) {
    if (this.run !== null) return this.run === run;
    const owner = process.env[OWNER];
    if (owner !== undefined && owner !== FILES + process.ppid) return false;
    this.run = run;
    process.env[OWNER] = String(process.pid);
    this.say({ runner, began: true });
    return true;
  }

  // Each file of this run is a process of its own, which reports as we do.
  hasFiles(run) {
    if (this.run === run) process.env[OWNER] = FILES + process.pid;
  }

  end(run, runner, code) {
    if (this.run !== run) return;
    this.say({ runner, ended: code });
    this.run = null;
    delete process.env[OWNER];
  }

  test(run, file, names, outcome) {
    if (this.run === run) this.say({ test: [located(file), ...names].join(' > '), outcome });
  }

  say(line) {
    try {
      if (this.handle < 0) this.handle = openSync(`${this.folder}/${process.pid}.jsonl`, 'a', 0o600);
      writeSync(this.handle, stringify(line) + '\n');
    } catch {
      // Nobody reads it, or the disk is full.
    }
  }
}

const root = process.cwd();

function located(file) {
  if (!file) return '';
  const place = file.startsWith('file:') ? require('url').fileURLToPath(file) : file;
  return path.isAbsolute(place) ? path.relative(root, place) : place;
}

// Tells `heard` of every event of an emitter, before anybody else hears it.
function hear(emitter, heard) {
  const emit = emitter.emit;
  const value = function (event, ...details) {
    try {
      heard(event, ...details);
    } catch {
      // A report is not worth a test.
    }
    return emit.apply(this, arguments);
  };
  Object.defineProperty(emitter, 'emit', { value, configurable: true, writable: true });
}

module.exports = { Report, hear };
