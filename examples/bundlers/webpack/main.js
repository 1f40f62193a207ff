import * as ort from 'sardonyx';
import { start } from '../app.js';

start(ort, document.body);
