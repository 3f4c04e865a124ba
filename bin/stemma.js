#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { digestOfSources } from './sources.js'

// npm builds dist/ when it installs the packages. Sources that have changed since then are run
// directly, which takes longer to start.
if (isBuilt()) await import('../dist/stemma.mjs')
else {
  const tsx = await import('tsx/esm/api').catch(withoutPackages)
  tsx.register()
  await import('./stemma.ts')
}

function isBuilt() {
  try {
    return readFileSync(new URL('../dist/sources', import.meta.url), 'utf8') === digestOfSources()
  } catch {
    return false
  }
}

function withoutPackages(error) {
  if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error
  console.error(
    'There is no build of these sources, and the packages that run them directly are not here: run "npm ci --omit=dev" in the folder of Stemma.',
  )
  process.exit(1)
}
