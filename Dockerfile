# by digest, so that the same comes tomorrow; raise it together with constraints.txt
FROM python:3.13.9-slim-trixie@sha256:326df678c20c78d465db501563f3492d17c42a4afe33a1f2bf5406a1d56b0e86

# the first two: glibc otherwise keeps the memory of every upload it has seen
ENV MALLOC_MMAP_THRESHOLD_=4194304 MALLOC_TRIM_THRESHOLD_=16777216 PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1
WORKDIR /irmeval
COPY .ci/image.txt ./
RUN pip install --no-cache-dir --no-deps --require-hashes -r image.txt && useradd --no-create-home --uid 10001 irmeval \
 && install -d -o irmeval -m 700 /kept
ENV IRMEVAL_HOME=/kept
COPY app.py LICENSE ./
COPY .streamlit .streamlit
COPY irmeval irmeval
COPY pages pages
COPY sample_data sample_data
RUN python -m compileall -q app.py irmeval pages
USER irmeval
EXPOSE 8501
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s CMD ["python", "-m", "irmeval.ui.server.health"]
CMD ["streamlit", "run", "app.py", "--server.address=0.0.0.0", "--server.headless=true", "--server.fileWatcherType=none"]
