# Stemma in a container:
#   docker build -t stemma .
#   docker run -p 3000:3000 -v stemma:/data -e STEMMA_PUBLIC_URL=http://localhost:3000 stemma
FROM node:24-bookworm-slim AS packages
WORKDIR /app
# better-sqlite3 is compiled where no ready-made binary fits this machine.
RUN apt-get update \
 && apt-get install -y --no-install-recommends python3 make g++ \
 && rm -rf /var/lib/apt/lists/*
COPY package.json package-lock.json ./
COPY printing ./printing
# The build has nothing to do before the sources are there; an edit of them does not compile the packages anew.
COPY bin/build.js bin/sources.js ./bin/
RUN npm ci --no-audit --no-fund && npm ci --prefix printing --no-audit --no-fund
COPY bin ./bin
COPY src ./src
# The program is built with packages that it does not need when it runs.
RUN npm run prepare && npm prune --omit=dev \
 && rm -rf node_modules/esbuild node_modules/@esbuild node_modules/@fontsource node_modules/@fontsource-variable

FROM node:24-bookworm-slim
RUN apt-get update \
 && apt-get install -y --no-install-recommends git ca-certificates \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY --from=packages /app/node_modules ./node_modules
COPY --from=packages /app/printing ./printing
COPY LICENSE README.md package.json package-lock.json ./
COPY docs ./docs
COPY --from=packages /app/bin ./bin
COPY --from=packages /app/src ./src
COPY --from=packages /app/dist ./dist
COPY templates ./templates
RUN ln -s /app/bin/stemma.js /usr/local/bin/stemma \
 && install -d -o node -g node -m 700 /data
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    PORT=3000 \
    STEMMA_DATA=/data
USER node
VOLUME /data
EXPOSE 3000
# SIGTERM lets requests in flight finish; node is told as it is not run below a shell.
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then(r => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/app/bin/stemma.js"]
CMD ["serve"]
