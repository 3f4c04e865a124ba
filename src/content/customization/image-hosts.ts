import type { Settings } from './schema.ts'

/**
 * Returns the origins, besides their own, that pages may load images from: those of the images in
 * the settings. Returns undefined if all hosts are allowed.
 */
export function imageHosts({
  externalImages,
  header,
  footer,
  favicon,
}: Settings): string[] | undefined {
  if (externalImages?.enabled !== false) return undefined
  const images = [header.logo, footer.logo, favicon.icon].flatMap(each =>
    each ? [each.light, each.dark] : [],
  )
  return [...new Set(images.map(url => new URL(url).origin))]
}
