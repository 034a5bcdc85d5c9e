FROM python:3.13-slim

# the first two: glibc otherwise keeps the memory of every upload it has seen
ENV MALLOC_MMAP_THRESHOLD_=262144 MALLOC_TRIM_THRESHOLD_=262144 PYTHONUNBUFFERED=1
WORKDIR /irmeval
COPY requirements.txt .
RUN pip install --no-cache-dir -r requirements.txt && useradd --create-home irmeval
COPY app.py LICENSE README.md ./
COPY .streamlit .streamlit
COPY irmeval irmeval
COPY pages pages
COPY sample_data sample_data
USER irmeval
EXPOSE 8501
CMD ["streamlit", "run", "app.py", "--server.address=0.0.0.0", "--server.headless=true"]
