// Chains of WebPPL's particle Gibbs on the hidden Markov model: node webppl_chain.js PARTICLES CHAINS SWEEPS < data.json
// Prints for each chain how often the first state was 0, 1, 2. WebPPL does not count the retained particle.
'use strict';

const fs = require('fs');
const path = require('path');
const folder = process.env.WEBPPL || path.join(__dirname, '..', 'node_modules', 'webppl');
const webppl = require(path.join(folder, 'src', 'main'));
const util = require(path.join(folder, 'src', 'util'));

const [particles, chains, sweeps] = process.argv.slice(2).map(Number);
const data = JSON.parse(fs.readFileSync(0, 'utf8'));
global.BENCH = Object.assign({steps: data.y.length}, data);

util.seedRNG(1);
const text = fs.readFileSync(path.join(__dirname, 'hmm.wppl'), 'utf8') +
  '\nInfer({method: "PMCMC", particles: ' + (particles - 1) + ', sweeps: ' + sweeps + ', model: model});';
const compiled = webppl.compile(text, {});
const shares = [];

function chain() {
  webppl.prepare(compiled, function(s, dist) {
    shares.push([0, 1, 2].map(function(state) { return Math.exp(dist.score(state)); }));
    if (shares.length < chains) {
      setImmediate(chain);
    } else {
      console.log(JSON.stringify(shares));
    }
  }, {debug: false}).run();
}

chain();
