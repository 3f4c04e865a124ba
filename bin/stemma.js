#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { digestOfSources } from './sources.js'

// `npm ci` builds dist/; sources that were changed since are run as they are, which takes longer to start.
if (isBuilt()) await import('../dist/stemma.mjs')
else {
  const { register } = await import('tsx/esm/api')
  register()
  await import('./stemma.ts')
}

function isBuilt() {
  try {
    return readFileSync(new URL('../dist/sources', import.meta.url), 'utf8') === digestOfSources()
  } catch {
    return false
  }
}
