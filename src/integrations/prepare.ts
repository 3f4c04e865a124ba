import type { z } from 'zod'
import { invalid } from '../errors.ts'
import { sha256 } from '../lib/digest.ts'
import type { IntegrationAssetRow, IntegrationRow } from '../store/tables/rows.ts'
import { bytesOfBase64, type Image, imageOf } from './image.ts'
import { assetPrefix, type PublishBody, type StoredManifest } from './manifest.ts'
import { checkPolicy, type PolicyInput } from './security-policy.ts'

type Body = z.output<typeof PublishBody>

export type Prepared = {
  columns: Pick<
    IntegrationRow,
    'title' | 'visibility' | 'target' | 'manifest' | 'script' | 'published_script'
  >
  assets: Omit<IntegrationAssetRow, 'integration_id'>[]
}

const megabyte = 1024 * 1024
const mostIcon = megabyte / 2
const mostPreview = 2 * megabyte

/** Returns the rows of a publication. Throws 'invalid' for an unusable image or security policy. */
export function prepare(body: Body): Prepared {
  const { title, visibility, target, script, publishedScript } = body
  const assets: Prepared['assets'] = []
  const add = (name: string, image: Image) =>
    assets.push({ name, type: image.type, digest: sha256(image.bytes), bytes: image.bytes })
  if (body.icon !== undefined) add('icon', readImage(body.icon, 'icon', mostIcon))
  for (const [at, text] of (body.previewImages ?? []).entries())
    add(`preview-${at}`, readImage(text, `previewImages.${at}`, mostPreview))
  const withIcons = <Part extends { icon?: string | undefined }>(
    parts: readonly Part[] | undefined,
    kind: 'blocks' | 'contentSources',
  ) =>
    parts && {
      [kind]: parts.map((part, at) => {
        if (part.icon === undefined || isAddress(part.icon)) return part
        add(`${kind}-${at}`, readImage(part.icon, `${kind}.${at}.icon`, mostIcon))
        return { ...part, icon: `${assetPrefix}${kind}-${at}` }
      }),
    }
  const policy = policyOf(body.contentSecurityPolicy, body.scopes)
  const manifest: StoredManifest = {
    description: body.description,
    ...(body.summary !== undefined && { summary: body.summary }),
    scopes: body.scopes,
    categories: [...new Set(body.categories)],
    ...withIcons(body.blocks, 'blocks'),
    ...withIcons(body.contentSources, 'contentSources'),
    ...(body.configurations && { configurations: body.configurations }),
    externalLinks: body.externalLinks,
    ...(policy !== undefined && { contentSecurityPolicy: policy }),
    runtime: body.runtime,
  }

  return {
    columns: {
      title,
      visibility,
      target,
      manifest,
      script,
      published_script: publishedScript ?? null,
    },
    assets,
  }
}

/** Returns whether an icon is an address and not an image. */
function isAddress(icon: string): boolean {
  if (!/^https?:/i.test(icon)) return false
  if (icon.length > 2048 || !URL.canParse(icon))
    throw invalid(
      'An icon in the body: takes an address of up to 2048 characters, or an image as base64.',
    )
  return true
}

function readImage(text: string, name: string, most: number): Image {
  const bytes = bytesOfBase64(text)
  const image = bytes && imageOf(bytes)
  if (!image)
    throw invalid(`"${name}" in the body: takes a PNG, JPEG, GIF or WebP image as base64.`)
  if (image.bytes.length > most)
    throw invalid(`"${name}" in the body: takes an image of up to ${most} bytes.`)
  return image
}

function policyOf(
  given: Body['contentSecurityPolicy'],
  scopes: Body['scopes'],
): string | undefined {
  if (given === undefined) return undefined
  const checked = checkPolicy(given as PolicyInput, {
    injects: scopes.includes('site:script:inject'),
  })
  if ('problem' in checked)
    throw invalid(`"contentSecurityPolicy" in the body: ${checked.problem}.`)
  return checked.policy
}
