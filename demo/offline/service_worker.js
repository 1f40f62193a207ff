// Keeps the page's files, so that it works without a network; the build fills in which they are. Its answers isolate the
// page from other origins, which threads need, also where the server's do not.
const kVersion = '@version@';
const kFiles = '@files@';
const kPrefix = 'sardonyx-studio-';
const kIsolation = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
  'cross-origin-resource-policy': 'same-origin',
};

// (func) with an instruction of relaxed SIMD: engines that lack it call it invalid, and take the plain build.
const kRelaxedProbe = Uint8Array.of(
  ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1, 4, 1, 0x60, 0, 0, 3, 2, 1, 0, 0x0a, 0x14, 1, 0x12, 0],
  ...[0x41, 0, 0xfd, 0x0f, 0x41, 0, 0xfd, 0x0f, 0x41, 0, 0xfd, 0x0f, 0xfd, 0x85, 2, 0x1a, 0x0b],
);

/** The build of WebAssembly that this engine runs, and everything else. */
function wantedFiles() {
  const unwanted = WebAssembly.validate(kRelaxedProbe) ? /sardonyx-simd[^/]*$/ : /sardonyx-relaxed[^/]*$/;
  return kFiles.filter((name) => !unwanted.test(name));
}

self.addEventListener('install', (event) => {
  const keep = async () => {
    const cache = await caches.open(kPrefix + kVersion);
    await cache.addAll(wantedFiles().map((name) => new URL(name, self.registration.scope).href));
    await self.skipWaiting();
  };
  event.waitUntil(keep());
});

self.addEventListener('activate', (event) => {
  const tidy = async () => {
    const names = await caches.keys();
    const old = names.filter((name) => name.startsWith(kPrefix) && name !== kPrefix + kVersion);
    await Promise.all(old.map((name) => caches.delete(name)));
    await self.clients.claim();
  };
  event.waitUntil(tidy());
});

function isolated(response) {
  if (response.type === 'opaque' || response.status === 0) return response;
  const headers = new Headers(response.headers);
  for (const [name, value] of Object.entries(kIsolation)) headers.set(name, value);
  return new Response(response.body, { status: response.status, statusText: response.statusText, headers });
}

/** What is kept, else what the server has, which is kept from then on. */
async function answer(request) {
  const cache = await caches.open(kPrefix + kVersion);
  const key = request.mode === 'navigate' ? new URL('index.html', self.registration.scope).href : request.url;
  const kept = await cache.match(key, { ignoreVary: true });
  if (kept) return isolated(kept);
  const response = await fetch(request);
  if (response.ok) await cache.put(key, response.clone());
  return isolated(response);
}

self.addEventListener('fetch', (event) => {
  const { request } = event;
  if (request.method === 'GET' && request.url.startsWith(self.registration.scope)) {
    event.respondWith(answer(request));
  }
});
