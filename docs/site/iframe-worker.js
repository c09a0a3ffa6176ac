// Lets the search run in a page that is opened from a disk, where browsers start no workers: the
// worker's script runs in a hidden frame instead.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      const inside = frame.contentWindow;
      inside.document.open();
      inside.document.close();
      inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      inside.importScripts = async (...urls) => {
        for (const each of urls) await load(inside.document, each);
      };
      this.inside = inside;
      this.ready = load(inside.document, url);
    }

    async postMessage(data) {
      await this.ready;
      this.inside.dispatchEvent(new MessageEvent("message", { data }));
    }

    terminate() {
      this.inside.frameElement.remove();
    }
  };
}

function load(page, url) {
  return new Promise((resolve, reject) => {
    const script = page.createElement("script");
    script.onload = resolve;
    script.onerror = reject;
    script.src = url;
    page.body.append(script);
  });
}
