'use client';
import { useEffect, useRef } from 'react';
import * as ort from 'sardonyx';
import { start } from '../../app.js';

export default function Page() {
  const root = useRef(null);
  useEffect(() => start(ort, root.current), []);
  return <main ref={root} />;
}
