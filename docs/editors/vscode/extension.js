// Starts `pplc lsp`, and hands the editor over to it.
"use strict";

const {workspace} = require("vscode");
const {LanguageClient} = require("vscode-languageclient/node");

let client;

exports.activate = () => {
  const [command, ...args] = workspace.getConfiguration("pplc").get("command");
  client = new LanguageClient("pplc", "pplc", {command, args}, {documentSelector: [{language: "pplc"}]});
  return client.start();
};

exports.deactivate = () => client && client.stop();
