/** The bytes of a part of a pack: a row, which may be sent while all requests wait. */
const partBytes = 1024 * 1024

/** Yields the bytes of chunks in parts of the same size; the last one may be smaller. */
export async function* inParts(
  chunks: AsyncIterable<Buffer> | Iterable<Buffer>,
): AsyncGenerator<Buffer, void, undefined> {
  let kept: Buffer[] = []
  let bytes = 0
  for await (const chunk of chunks)
    for (let at = 0; at < chunk.length; ) {
      const some = chunk.subarray(at, at + partBytes - bytes)
      kept.push(some)
      bytes += some.length
      at += some.length
      if (bytes < partBytes) continue
      yield Buffer.concat(kept)
      kept = []
      bytes = 0
    }
  if (bytes > 0) yield Buffer.concat(kept)
}
