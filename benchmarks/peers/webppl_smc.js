// One model by WebPPL's SMC: node webppl_smc.js MODEL PARTICLES SECONDS < data.json
// Prints the CPU and wall milliseconds a sweep, the least of those done in about SECONDS, and the log evidence.
'use strict';

const fs = require('fs');
const path = require('path');
const folder = process.env.WEBPPL || path.join(__dirname, '..', 'node_modules', 'webppl');
const webppl = require(path.join(folder, 'src', 'main'));
const util = require(path.join(folder, 'src', 'util'));

const [model, particles, seconds] = process.argv.slice(2);
const data = JSON.parse(fs.readFileSync(0, 'utf8'));
const root = Math.log(2 * Math.PI * 0.01);

global.BENCH = Object.assign({
  steps: data.y.length,
  logDensity: function(t, x0, x1) {
    const row = data.y[t];
    let squares = 0;
    for (let d = 0; d < row.length; d++) {
      const residual = row[d] - data.C[d][0] * x0 - data.C[d][1] * x1;
      squares += residual * residual;
    }
    return -0.5 * row.length * root - 50 * squares;
  },
  seats: function(counts) {
    return counts.concat([1]);
  },
  seated: function(counts, label) {
    const next = counts.slice();
    next[label] = (next[label] || 0) + 1;
    return next;
  }
}, data);

util.seedRNG(1);
const text = fs.readFileSync(path.join(__dirname, model + '.wppl'), 'utf8') +
  '\nInfer({method: "SMC", particles: ' + Number(particles) + ', model: model}).normalizationConstant;';
const compiled = webppl.compile(text, {});
const evidences = [];
let cpu = Infinity, wall = Infinity, spent = 0;

function sweep() {
  const began = process.hrtime.bigint(), used = process.cpuUsage();
  webppl.prepare(compiled, function(s, value) {
    const more = process.cpuUsage(used);
    const ms = (more.user + more.system) / 1000;
    cpu = Math.min(cpu, ms);
    wall = Math.min(wall, Number(process.hrtime.bigint() - began) / 1e6);
    spent += ms;
    evidences.push(value);
    if (spent < 1000 * Number(seconds)) {
      setImmediate(sweep);
    } else {
      console.log(JSON.stringify({cpu: cpu, wall: wall, evidences: evidences}));
    }
  }, {debug: false}).run();
}

sweep();
