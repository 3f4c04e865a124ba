#!/usr/bin/env node
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { digestOfSources, stampOfSources } from './sources.js'

// npm builds dist/ when it installs the packages. Sources that have changed since then are run
// directly, which takes longer to start.
if (isBuilt()) await import('../dist/stemma.mjs')
else {
  // Otherwise tsx looks for the settings of the sources in the current folder.
  const settings = fileURLToPath(new URL('../tsconfig.json', import.meta.url))
  if (existsSync(settings)) process.env.TSX_TSCONFIG_PATH ??= settings
  const tsx = await import('tsx/esm/api').catch(withoutPackages)
  tsx.register()
  await import('./stemma.ts')
}

function isBuilt() {
  return made('stamp') === stampOfSources() || made('sources') === digestOfSources()
}

/** Returns a file of the build; undefined without a build. */
function made(name) {
  try {
    return readFileSync(new URL(`../dist/${name}`, import.meta.url), 'utf8')
  } catch {
    return undefined
  }
}

function withoutPackages(error) {
  if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error
  console.error(
    'There is no build of these sources, and the packages that run them directly are not here: run "npm ci --omit=dev" in the folder of Stemma.',
  )
  process.exit(1)
}
