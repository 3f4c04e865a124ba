import type { FileVersion } from './load.ts'

type ImagePairProps = {
  path: string
  before: FileVersion | undefined
  after: FileVersion | undefined
}

/** The most bytes of an image that a page loads by itself. */
const largestImage = 10_000_000

/** Returns an image in two versions side by side; a script lays one over the other. */
export function ImagePair({ path, before, after }: ImagePairProps) {
  const isPair = before !== undefined && after !== undefined
  return (
    <div class="image-pair" data-pair={isPair ? '' : undefined}>
      {before && <Image version={before} name="Before" path={path} />}
      {after && <Image version={after} name={isPair ? 'After' : 'New'} path={path} />}
    </div>
  )
}

type ImageProps = { version: FileVersion; name: string; path: string }

function Image({ version: { href, size, width, height }, name, path }: ImageProps) {
  const isLarge = size === undefined || size > largestImage
  const pixels = width === null || height === null ? {} : { width, height }
  return (
    <figure>
      <figcaption class="small muted">
        {name}
        {width !== null && ` · ${width} × ${height}`}
      </figcaption>
      {isLarge ? (
        <a href={href}>The image is large: open it</a>
      ) : (
        <img src={href} alt={`${name}: ${path}`} loading="lazy" {...pixels} />
      )}
    </figure>
  )
}
