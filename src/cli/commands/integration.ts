import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { readYaml } from '../../content/text/yaml.ts'
import { callApi } from '../api/call-api.ts'
import { Failure } from '../output/failure.ts'
import { print, printJson } from '../output/print.ts'
import { newGroup, newQuery } from './new-command.ts'

type Published = { name: string; version: number }

const manifestName = 'gitbook-manifest.yaml'
const mostManifest = 1024 * 1024

/** Defines `stemma integration`: integrations, over HTTP. */
export const integrationCommand = (): Command =>
  newGroup('integration', 'Integrations, which act for organizations and sites', [
    newQuery(
      'publish',
      `Publish the integration in a folder with a ${manifestName}, and print its name and version`,
      'stemma integration publish ./widgets --org acme',
    )
      .argument('[folder]', 'the folder of the manifest', '.')
      .option('--org <id>', 'the organization that owns it (default: the one in the manifest)')
      .action(publish),
  ])

async function publish(
  folder: string,
  { org, json }: { org?: string; json?: true },
): Promise<void> {
  const { name, envs: _, ...manifest } = readManifest(folder)
  if (typeof name !== 'string') throw new Failure(`${manifestName} has no "name".`)
  const { body } = await callApi('POST', `/v1/integrations/${encodeURIComponent(name)}`, {
    ...manifest,
    ...(org !== undefined && { organization: org }),
    ...filesOf(folder, manifest),
  })
  const { version } = body as Published
  if (json) printJson(body)
  else print(`${name} ${version}`)
}

function readManifest(folder: string): Record<string, unknown> {
  const { document, issues } = readYaml(
    readFile(folder, manifestName).toString('utf8'),
    mostManifest,
  )
  const manifest: unknown = document?.toJS({ maxAliasCount: 0 })
  if (typeof manifest !== 'object' || manifest === null || Array.isArray(manifest))
    throw new Failure(`${manifestName} cannot be read. ${issues[0]?.message ?? 'It takes a map.'}`)
  return manifest as Record<string, unknown>
}

/**
 * Returns the properties that are names of files in the manifest, with the contents of the files.
 */
function filesOf(folder: string, manifest: Record<string, unknown>): Record<string, unknown> {
  const { script, publishedScript, icon, previewImages } = manifest
  const text = (name: string) => readFile(folder, name).toString('utf8')
  const image = (name: unknown) => readFile(folder, String(name)).toString('base64')

  return {
    script: typeof script === 'string' ? text(script) : '',
    ...(typeof publishedScript === 'string' && { publishedScript: text(publishedScript) }),
    ...(typeof icon === 'string' && { icon: image(icon) }),
    ...(Array.isArray(previewImages) && { previewImages: previewImages.map(image) }),
  }
}

function readFile(folder: string, name: string): Buffer {
  try {
    return readFileSync(join(folder, name))
  } catch (error) {
    throw new Failure(
      `The file ${join(folder, name)} cannot be read (${(error as NodeJS.ErrnoException).code}).`,
    )
  }
}
