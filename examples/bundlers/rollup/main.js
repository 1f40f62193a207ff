// This bundler does not take files along that code names by URL: 'sardonyx/embedded' has the WebAssembly inside.
import * as ort from 'sardonyx/embedded';
import { start } from '../app.js';

start(ort, document.body);
