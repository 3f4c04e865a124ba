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
    <>
      {isPair && [before, after].every(version => !isLarge(version)) && (
        <div class="pair-tools with-script">
          <button type="button" class="btn">
            Lay over
          </button>
          <input type="range" aria-label="How much of the former image" hidden />
        </div>
      )}
      <div class="image-pair">
        {before && <Image version={before} name="Before" path={path} />}
        {after && <Image version={after} name={isPair ? 'After' : 'New'} path={path} />}
      </div>
    </>
  )
}

type ImageProps = { version: FileVersion; name: string; path: string }

const isLarge = ({ size }: FileVersion): boolean => size === undefined || size > largestImage

function Image({ version, name, path }: ImageProps) {
  const { href, width, height } = version
  const pixels = width === null || height === null ? {} : { width, height }
  return (
    <figure>
      <figcaption class="small muted">
        {name}
        {width !== null && ` · ${width} × ${height}`}
      </figcaption>
      {isLarge(version) ? (
        <a href={href}>The image is large: open it</a>
      ) : (
        <img src={href} alt={`${name}: ${path}`} loading="lazy" {...pixels} />
      )}
    </figure>
  )
}
