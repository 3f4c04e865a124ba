import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { z } from 'zod'
import { readYaml } from '../content/text/yaml.ts'
import type { Context } from '../context.ts'
import { issueSentence } from '../http/input/issue-sentence.ts'
import { randomId, sha256 } from '../lib/digest.ts'
import { replaceAssets } from '../store/integrations/assets.ts'
import { isInstalled } from '../store/integrations/installations.ts'
import {
  deleteIntegration,
  findIntegration,
  foldName,
  insertIntegration,
  listServerIntegrations,
  updateIntegration,
} from '../store/integrations/integrations.ts'
import {
  findOrganization,
  findOrganizationByHostname,
  listAllOrganizations,
} from '../store/people/organizations.ts'
import { FolderManifest, IntegrationName, mostPublishedScript, PublishBody } from './manifest.ts'
import { type Prepared, prepare } from './prepare.ts'

const manifestName = 'gitbook-manifest.yaml'
const mostManifest = 1024 * 1024
const mostFile = 4 * 1024 * 1024
const mostIntegrations = 200

/** The reason why the folder of an integration cannot be used. */
class Unusable extends Error {}

type IntegrationFolder = {
  name: string
  organizationId: string
  digest: string
  prepared: Prepared
  secrets: Record<string, string> | undefined
}

/**
 * Stores the integrations of the operator's folder: new ones, and changed ones as their next
 * version. One that cannot be read is left out with a line in the log, or stays as it was; one that
 * is gone ends, unless it is installed. Does nothing before the first start has created an
 * organization.
 */
export function loadIntegrations(ctx: Context): void {
  const folder = ctx.config.integrationsDir
  if (folder === undefined || listAllOrganizations(ctx.store).length === 0) return
  const names = foldersIn(ctx, folder)
  if (!names) return

  const before = new Map(listServerIntegrations(ctx.store).map(row => [row.name_folded, row]))

  for (const name of names) {
    try {
      const found = readIntegration(ctx, join(folder, name), name)
      if (before.get(foldName(name))?.digest !== found.digest)
        ctx.store.transact(() => save(ctx, found))
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'It cannot be read.'
      ctx.log.warn({ integration: name, reason }, 'an integration is left out')
    }
  }

  const kept = new Set(names.map(foldName))

  for (const row of before.values()) {
    if (kept.has(row.name_folded)) continue
    if (isInstalled(ctx.store, row.id))
      ctx.log.warn(
        { integration: row.name },
        'an integration without a folder stays, because it is installed',
      )
    else deleteIntegration(ctx.store, row.id)
  }
}

/** Returns the names of the folders; undefined if they cannot be read. Links are not followed. */
function foldersIn({ log }: Context, folder: string): string[] | undefined {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter(entry => entry.isDirectory() && !entry.name.startsWith('.'))
      .map(entry => entry.name)
      .sort()
      .slice(0, mostIntegrations)
  } catch (error) {
    log.warn(
      { folder, code: (error as NodeJS.ErrnoException).code },
      'the folder of integrations cannot be read',
    )
    return undefined
  }
}

function readIntegration(ctx: Context, folder: string, name: string): IntegrationFolder {
  const { document, issues } = readYaml(
    readFile(folder, manifestName, mostManifest).toString('utf8'),
    mostManifest,
  )
  if (!document) throw new Unusable(issues[0]?.message ?? 'The manifest cannot be read.')
  const manifest = check(FolderManifest, document.toJS({ maxAliasCount: 0 }))
  if (!IntegrationName.safeParse(name).success || manifest.name !== name)
    throw new Unusable('"name" in the manifest is not the name of the folder.')

  const {
    organization,
    script,
    publishedScript,
    icon,
    previewImages,
    name: _,
    envs: _envs,
    ...rest
  } = manifest
  if (JSON.stringify(rest.secrets ?? {}).includes('${{'))
    throw new Unusable('"secrets" contains "${{": variables are not expanded.')

  const text = (file: string | undefined, most: number) =>
    file === undefined ? undefined : readFile(folder, file, most).toString('utf8')
  const image = (file: string) => readFile(folder, file, mostFile).toString('base64')
  const body = check(PublishBody, {
    ...rest,
    organization,
    script: text(script, mostFile) ?? '',
    publishedScript: text(publishedScript, mostPublishedScript),
    icon: icon && image(icon),
    previewImages: previewImages?.map(image),
  })
  const owner =
    findOrganization(ctx.store, organization) ?? findOrganizationByHostname(ctx.store, organization)
  if (!owner) throw new Unusable(`There is no organization "${organization}".`)

  return {
    name,
    organizationId: owner.id,
    digest: sha256(JSON.stringify([body, owner.id])),
    prepared: prepare(body),
    secrets: body.secrets,
  }
}

function check<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value, { error: issueSentence })
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  throw new Unusable(
    `"${issue?.path.join('.') ?? ''}" in the manifest: ${issue?.message ?? 'is not valid'}.`,
  )
}

/**
 * Returns a file of the folder. Throws Unusable for other places, links and files that are too
 * large.
 */
function readFile(folder: string, name: string, most: number): Buffer {
  if (!/^[A-Za-z0-9_-][A-Za-z0-9._-]*$/.test(name))
    throw new Unusable(`"${name}" is not the name of a file beside the manifest.`)
  const path = join(folder, name)
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (!stat?.isFile()) throw new Unusable(`It has no file "${name}".`)
  if (stat.size > most) throw new Unusable(`"${name}" is larger than ${most} bytes.`)
  return readFileSync(path)
}

function save(
  ctx: Context,
  { name, organizationId, digest, prepared, secrets }: IntegrationFolder,
): void {
  const before = findIntegration(ctx.store, name)
  if (before && before.source !== 'server')
    throw new Unusable('An organization has published an integration with this name.')
  if (before && before.organization_id !== organizationId)
    throw new Unusable('The organization of an integration cannot change.')

  const at = ctx.now().toISOString()
  const columns = {
    ...prepared.columns,
    secrets_sealed: secrets ? ctx.keys.seal('integration secrets', JSON.stringify(secrets)) : null,
    digest,
    updated_at: at,
  }
  const id = before?.id ?? randomId()

  if (before) updateIntegration(ctx.store, id, columns)
  else
    insertIntegration(ctx.store, {
      id,
      name,
      organization_id: organizationId,
      source: 'server',
      ...columns,
      created_by: null,
      created_at: at,
    })

  replaceAssets(ctx.store, id, prepared.assets)
}
